// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps each operator of `nn` to the rule by which gradients pass through it, or to none.
// Why: no other code needs to know the operators, and the formula of a rule can later become an operator.
// How: the table is generated from the operators' definitions (`hasGradient` in dialects/nn/NnOpBase.td). Rules are
//      functions in one file per family. A missing rule is a link error.

#ifndef NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H
#define NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H

#include "compiler/train/rules/ReverseWalk.h"

namespace nacre::train {

/// One operator in the backward pass: the gradients that its rule reads, and those that it writes.
class Adjoint {
public:
  Adjoint(mlir::Operation *op, ReverseWalk &walk)
      : write(walk.getBuilder(), op->getLoc()), walk(walk), op(op), named(walk.getLastWritten()) {}

  /// Returns the gradient of a result; zeros if only other results have one.
  mlir::Value of(unsigned result = 0) { return walk.lookupOrZeros(op->getResult(result)); }
  bool hasGradient(unsigned result) const { return bool(walk.lookup(op->getResult(result))); }
  bool wants(mlir::Value operand) const { return walk.getActive().contains(operand); }
  void give(mlir::Value operand, mlir::Value gradient) {
    nameWritten(operand);
    walk.give(operand, gradient);
  }
  /// Gives `operand` the sum of the gradient over the axes along which it was broadcast.
  void giveUnbroadcast(mlir::Value operand, mlir::Value gradient) {
    if (wants(operand))
      give(operand, write.unbroadcast(gradient, shapeOf(operand)));
  }
  /// Ends the gradients at this operator.
  void cut() { walk.getCuts().insert(op); }
  /// Reports an error: `what` has no gradient yet. The message also says what the user can do about it.
  llvm::LogicalResult refuse(const llvm::Twine &what);

  Writer write;
  ReverseWalk &walk;

private:
  /// Names the operators written for the gradient of an operand after their node, with ` dW` if it depends on weights
  /// only, else ` dX`.
  void nameWritten(mlir::Value operand);

  mlir::Operation *op;
  mlir::Operation *named; ///< Last operator that already has its name.
};

/// Rule of an operator, which gives the gradients of its operands.
using Rule = llvm::LogicalResult (*)(mlir::Operation *, Adjoint &);

/// Returns the rule of an operator; null if gradients end at it, for example because its results are integers or
/// booleans.
Rule findRule(mlir::Operation *op);

// The rules, reverse<Name>, in the files of their families.
#define ROW(OP, NAME) llvm::LogicalResult reverse##NAME(nn::OP op, Adjoint &at);
NN_GRADIENT_ROWS(ROW)
#undef ROW

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H
