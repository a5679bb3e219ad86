// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  of each operator of `nn`, how gradients go back through it: a rule, or that none do.
// Why:   one table, so that nothing else knows operators, and a rule's formula can become an operator of its own.
// How:   the table is made of the operators' definitions (`hasGradient` in dialects/nn/NnOpBase.td); rules are functions in files by
//        family. A rule that is missing does not link.

#ifndef NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H
#define NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H

#include "compiler/train/rules/ReverseWalk.h"

namespace nacre::train {

/// One operator on the way back: what a rule reads, and where it gives.
class Adjoint {
public:
  Adjoint(mlir::Operation *op, ReverseWalk &walk)
      : write(walk.getBuilder(), op->getLoc()), walk(walk), op(op), named(walk.getLastWritten()) {}

  /// The gradient of a result; zeros where only others have one.
  mlir::Value of(unsigned result = 0) { return walk.lookupOrZeros(op->getResult(result)); }
  bool hasGradient(unsigned result) const { return bool(walk.lookup(op->getResult(result))); }
  bool wants(mlir::Value operand) const { return walk.getActive().contains(operand); }
  void give(mlir::Value operand, mlir::Value gradient) {
    nameWritten(operand);
    walk.give(operand, gradient);
  }
  /// The sum over what `operand` was broadcast to.
  void giveUnbroadcast(mlir::Value operand, mlir::Value gradient) {
    if (wants(operand))
      give(operand, write.unbroadcast(gradient, shapeOf(operand)));
  }
  /// Gradients end here.
  void cut() { walk.getCuts().insert(op); }
  /// An error: `what` has no gradient yet, and what can be done about it.
  llvm::LogicalResult refuse(const llvm::Twine &what);

  Writer write;
  ReverseWalk &walk;

private:
  /// Names what has been written for the gradient of an operand: after the node, and whether it is a weight's (` dW`) or not (` dX`).
  void nameWritten(mlir::Value operand);

  mlir::Operation *op;
  mlir::Operation *named; ///< the last operator that has its name
};

/// Gives the gradients of the operands.
using Rule = llvm::LogicalResult (*)(mlir::Operation *, Adjoint &);

/// The rule of an operator; null where gradients end at it: it gives integers or booleans, or has none to give.
Rule findRule(mlir::Operation *op);

// The rules, reverse<Name>, in the files of their families.
#define ROW(OP, NAME) llvm::LogicalResult reverse##NAME(nn::OP op, Adjoint &at);
NN_GRADIENT_ROWS(ROW)
#undef ROW

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_RULES_GRADIENTRULES_H
