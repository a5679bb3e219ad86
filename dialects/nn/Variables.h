// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  marks the values of a function that live from one run to the next.
// Why:   a run reads the value that a variable has at its beginning, and leaves the assigned value at its end. An
//        argument and a result express that, so passes need no special rule (docs/decisions).
// How:   both have the variable's name as their mark, and one type.

#ifndef NACRE_DIALECTS_NN_VARIABLES_H
#define NACRE_DIALECTS_NN_VARIABLES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// Name of a variable, a text, on the argument with its old value and on the result with its new one. They are not
/// inputs and outputs of the model. A variable has at most one argument and one result in a function. It starts as
/// zeros, unless it has nn.initial.
inline constexpr llvm::StringLiteral variableAttr = "nn.variable";

/// Value of a variable before the first run, elements of its type; on the argument.
inline constexpr llvm::StringLiteral initialAttr = "nn.initial";

/// Order of a variable's axes on its argument, if it is not the model's. Axis i of the argument, of its initial
/// elements and of the result is the model's axis number order[i].
inline constexpr llvm::StringLiteral orderAttr = "nn.order";

/// Word of a variable's role, on its argument; without it, recurrent.
inline constexpr llvm::StringLiteral roleAttr = "nn.role";
enum class VariableRole {
  Recurrent, ///< State that a model keeps from run to run.
  Weight,    ///< Parameter that training changes.
  Moment,    ///< State of an optimizer, computed from gradients.
  Statistic, ///< Running means and variances.
  Counter    ///< Number of training steps so far.
};

/// Returns the attribute of a role.
inline mlir::StringAttr getRoleAttr(mlir::MLIRContext *context, VariableRole role) {
  static constexpr llvm::StringLiteral words[] = {"recurrent", "weight", "moment", "statistic", "counter"};
  return mlir::StringAttr::get(context, words[unsigned(role)]);
}
/// Returns the role of an attribute; recurrent if it is null.
inline VariableRole readRole(mlir::Attribute attribute) {
  for (VariableRole role : {VariableRole::Weight, VariableRole::Moment, VariableRole::Statistic, VariableRole::Counter})
    if (attribute && attribute == getRoleAttr(attribute.getContext(), role))
      return role;
  return VariableRole::Recurrent;
}
/// Name of the counter of steps, a scalar of i64.
inline constexpr llvm::StringLiteral stepName = "#step";
/// Names of the variables of a loss scale, all scalars. The scale and the steps since it last changed are f32; the
/// number of skipped steps is i64. A state file may lack them, or have them without use, if training continues in
/// another precision.
inline constexpr llvm::StringLiteral lossScaleName = "#loss_scale", goodStepsName = "#loss_scale#good",
                                     skippedStepsName = "#loss_scale#skipped";
/// Names of the output that is the loss, a scalar, and of the output with the number of skipped steps.
inline constexpr llvm::StringLiteral lossName = "loss";
inline constexpr llvm::StringLiteral skippedStepsOutput = "skipped_steps";

/// Unit attribute on a result that is an internal tensor of the model, to be watched (a loss).
inline constexpr llvm::StringLiteral watchedAttr = "nn.watched";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_VARIABLES_H
