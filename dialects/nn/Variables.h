// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  marks the values of a function that persist from one run to the next.
// Why:   a run reads the value that a variable has at its beginning, and sets its value at the end. An argument and a
//        result express this, so passes need no special rule (docs/decisions).
// How:   the argument and the result have the variable's name as their mark, and the same type.

#ifndef NACRE_DIALECTS_NN_VARIABLES_H
#define NACRE_DIALECTS_NN_VARIABLES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// Name of a variable, a string. It is on the argument with the old value and on the result with the new value, which
/// are no input and output of the model. In a function, a variable has at most one such argument and one such result.
/// Its first value is zeros, unless it has nn.initial.
inline constexpr llvm::StringLiteral variableAttr = "nn.variable";

/// Value of a variable before the first run: elements of its type, on the argument.
inline constexpr llvm::StringLiteral initialAttr = "nn.initial";

/// Order of a variable's axes, on its argument, if it differs from the model's order. Axis i of the argument, of its
/// initial value and of the result is axis order[i] of the model.
inline constexpr llvm::StringLiteral orderAttr = "nn.order";

/// Word for a variable's role, on its argument. Without this attribute, the role is `recurrent`.
inline constexpr llvm::StringLiteral roleAttr = "nn.role";
enum class VariableRole {
  Recurrent, ///< State that a model keeps from run to run.
  Weight,    ///< Parameter that training changes.
  Moment,    ///< State of an optimizer, computed from gradients.
  Statistic, ///< Running means and variances.
  Counter    ///< Number of training steps that were made.
};

/// Returns the attribute for `role`.
inline mlir::StringAttr getRoleAttr(mlir::MLIRContext *context, VariableRole role) {
  static constexpr llvm::StringLiteral words[] = {"recurrent", "weight", "moment", "statistic", "counter"};
  return mlir::StringAttr::get(context, words[unsigned(role)]);
}
/// Returns the role that `attribute` names; Recurrent if it is null.
inline VariableRole readRole(mlir::Attribute attribute) {
  for (VariableRole role : {VariableRole::Weight, VariableRole::Moment, VariableRole::Statistic, VariableRole::Counter})
    if (attribute && attribute == getRoleAttr(attribute.getContext(), role))
      return role;
  return VariableRole::Recurrent;
}
/// Name of the variable that counts training steps, an i64 scalar.
inline constexpr llvm::StringLiteral stepName = "#step";
/// Names of the variables for loss scaling, all scalars. The scale and the number of steps since it changed are f32.
/// The number of skipped steps is i64. If training continues in another precision, a state file may lack these
/// variables, or contain them unused.
inline constexpr llvm::StringLiteral lossScaleName = "#loss_scale", goodStepsName = "#loss_scale#good",
                                     skippedStepsName = "#loss_scale#skipped";
/// Names of two outputs: the loss, a scalar, and the number of skipped steps.
inline constexpr llvm::StringLiteral lossName = "loss";
inline constexpr llvm::StringLiteral skippedStepsOutput = "skipped_steps";

/// Unit attribute on a result that is an internal tensor of the model, such as a loss, which the user watches.
inline constexpr llvm::StringLiteral watchedAttr = "nn.watched";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_VARIABLES_H
