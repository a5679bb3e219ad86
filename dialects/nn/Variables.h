// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a function says what lives from one run to the next.
// Why:   a run reads what a variable was when it began, and what it assigns is there when it ends: that is what an
//        argument and a result are, and no pass has to learn anything (docs/decisions).
// How:   both are marked with the variable's name, and have one type.

#ifndef NACRE_DIALECTS_NN_VARIABLES_H
#define NACRE_DIALECTS_NN_VARIABLES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// On an argument that is what a variable was, and on the result that it becomes: its name, a text. They are no input and
/// no output of the model. Of a function at most one argument and one result are of a variable; all start as zeros
/// unless they say otherwise.
inline constexpr llvm::StringLiteral variableAttr = "nn.variable";

/// On an argument that is what a variable was: what it is before the first run, elements of its type.
inline constexpr llvm::StringLiteral initialAttr = "nn.initial";

/// On an argument that is what a variable was: the order of its axes, where that is not the model's. Axis i of the argument, of
/// its initial elements and of the result is the model's axis number order[i].
inline constexpr llvm::StringLiteral orderAttr = "nn.order";

/// On an argument that is what a variable was: what it is for, the word of a role; without it, recurrent.
inline constexpr llvm::StringLiteral roleAttr = "nn.role";
enum class VariableRole {
  Recurrent, ///< what a model keeps from run to run
  Weight,    ///< what training changes
  Moment,    ///< what an optimizer keeps of gradients
  Statistic, ///< running means and variances
  Counter    ///< how many steps there were
};

/// The attribute that says a role.
inline mlir::StringAttr getRoleAttr(mlir::MLIRContext *context, VariableRole role) {
  static constexpr llvm::StringLiteral words[] = {"recurrent", "weight", "moment", "statistic", "counter"};
  return mlir::StringAttr::get(context, words[unsigned(role)]);
}
/// The role that an attribute says; recurrent if it is null.
inline VariableRole readRole(mlir::Attribute attribute) {
  for (VariableRole role : {VariableRole::Weight, VariableRole::Moment, VariableRole::Statistic, VariableRole::Counter})
    if (attribute && attribute == getRoleAttr(attribute.getContext(), role))
      return role;
  return VariableRole::Recurrent;
}
/// The name of the counter of steps, a scalar of i64.
inline constexpr llvm::StringLiteral stepName = "#step";
/// The names of the variables of a loss scale, scalars: the scale and the steps since it grew or shrank, of f32, and the number of
/// steps that were skipped, of i64. A state file may lack them, or have them in vain: a training continues in another precision.
inline constexpr llvm::StringLiteral lossScaleName = "#loss_scale", goodStepsName = "#loss_scale#good",
                                     skippedStepsName = "#loss_scale#skipped";
/// The output that is the loss, a scalar, and the one that is the last of those variables.
inline constexpr llvm::StringLiteral lossName = "loss";
inline constexpr llvm::StringLiteral skippedStepsOutput = "skipped_steps";

/// On a result that is a tensor from inside of the model, which somebody asked to watch (a loss); a unit.
inline constexpr llvm::StringLiteral watchedAttr = "nn.watched";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_VARIABLES_H
