// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps each operator of `nn` to the rule that computes gradients of its operands, or to no rule.
// Why: no other code needs to know the operators, and the formula of a rule can later become an operator.
// How: the table is generated from the definitions of operators (`hasGradient` in dialects/nn/NnOpBase.td). Rules are
//      functions, in one file per family. A missing rule is a linker error.

#ifndef NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H
#define NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H

#include "compiler/train/rules/ReverseWalk.h"

namespace nacre::train {

/// One operator in the backward pass. Its rule reads gradients of results, and writes gradients of operands.
class Adjoint {
public:
  Adjoint(mlir::Operation *op, ReverseWalk &walk)
      : write(walk.getBuilder(), op->getLoc()), walk(walk), op(op), named(walk.getLastWritten()) {}

  /// Returns the gradient of a result, or zeros if only other results have a gradient.
  mlir::Value of(unsigned result = 0) { return walk.lookupOrZeros(op->getResult(result)); }
  bool hasGradient(unsigned result) const { return bool(walk.lookup(op->getResult(result))); }
  bool wants(mlir::Value operand) const { return walk.getActive().contains(operand); }
  void give(mlir::Value operand, mlir::Value gradient) {
    nameWritten(operand);
    walk.give(operand, gradient);
  }
  /// Adds `gradient` to the gradient of `operand`, after summing it over the axes along which `operand` was broadcast.
  void giveUnbroadcast(mlir::Value operand, mlir::Value gradient) {
    if (wants(operand))
      give(operand, write.unbroadcast(gradient, shapeOf(operand)));
  }
  /// Ends the gradients at this operator, so that its operands get none.
  void cut() { walk.getCuts().insert(op); }
  /// Reports an error: `what` (a noun phrase) has no gradient yet. The message also advises the user.
  llvm::LogicalResult refuse(const llvm::Twine &what);

  Writer write;
  ReverseWalk &walk;

private:
  /// Names the operators that compute the gradient of an operand after their node. The suffix is ` dW` if the operand
  /// depends only on weights, and ` dX` otherwise.
  void nameWritten(mlir::Value operand);

  mlir::Operation *op;
  mlir::Operation *named; ///< Last operator that already has its name.
};

/// Rule of an operator. It computes the gradients of the operands.
using Rule = llvm::LogicalResult (*)(mlir::Operation *, Adjoint &);

/// Returns the rule of an operator. Returns null if gradients end at it, for example because its results are integers
/// or booleans.
Rule findRule(mlir::Operation *op);

// Declares the rules, reverse<Name>. The definitions are in the files of their families.
#define ROW(OP, NAME) llvm::LogicalResult reverse##NAME(nn::OP op, Adjoint &at);
NN_GRADIENT_ROWS(ROW)
#undef ROW

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H
