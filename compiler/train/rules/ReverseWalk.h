// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies the chain rule: computes gradients of operands from gradients of results.
// Why: this works in the same way for every operator, loop body and branch. A rule only needs to know its own operator.
// How: a value is active if it depends on a value whose gradient is wanted. The operators of a block are visited from
//      last to first. If a result of an active operator has a gradient, the operator's rule (GradientRules.h) computes
//      gradients of the operands. Gradients of several uses are added up. All new operators follow the differentiated
//      ones.

#ifndef NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H
#define NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H

#include "compiler/train/rules/Writer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::train {

/// Values that depend on the values whose gradients are wanted.
class ActiveValues {
public:
  void insert(mlir::Value value) { values.insert(value); }
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// Adds results of operators in `block`, and in their regions, that depend on active values.
  void follow(mlir::Block &block);
  /// Marks `to` as active instead of `from`, if `from` was active.
  void replace(mlir::Value from, mlir::Value to) {
    if (values.erase(from))
      values.insert(to);
  }

private:
  void followLoop(mlir::Operation *loop);

  llvm::DenseSet<mlir::Value> values;
};

class ReverseWalk {
public:
  /// Writes operators at the insertion point of `builder`. Collects operators with active operands at which gradients
  /// end in `cuts`.
  ReverseWalk(mlir::OpBuilder &builder, ActiveValues &active, llvm::SetVector<mlir::Operation *> &cuts)
      : builder(builder), active(active), cuts(cuts) {}

  /// Adds `gradient`, from one use of `value`, to the gradient of `value`. Does nothing if `gradient` is null or
  /// `value` is not active.
  void give(mlir::Value value, mlir::Value gradient);
  /// Returns the sum of the gradients of `value` so far, or null if there is no gradient yet.
  mlir::Value lookup(mlir::Value value) const { return gradients.lookup(value); }
  mlir::Value lookupOrZeros(mlir::Value value);

  /// Transfers the gradient and activity of `from` to `to`, a new version of the same result.
  void replace(mlir::Value from, mlir::Value to);

  /// Visits all operators of a block except its terminator. Errors name all operators without a rule.
  llvm::LogicalResult run(mlir::Block &block);

  /// Sets the values that depend on inputs of the network. Other values depend only on weights. Only names use this
  /// information.
  void setOfInputs(const llvm::DenseSet<mlir::Value> *values) { ofInputs = values; }
  bool isMadeOfWeights(mlir::Value value) const { return ofInputs && !ofInputs->contains(value); }

  mlir::OpBuilder &getBuilder() { return builder; }
  /// Returns the operator after which the next one will be written, or null at the beginning of a block.
  mlir::Operation *getLastWritten() const {
    mlir::Block::iterator place = builder.getInsertionPoint();
    return place == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(place);
  }
  ActiveValues &getActive() { return active; }
  llvm::SetVector<mlir::Operation *> &getCuts() { return cuts; }

private:
  mlir::OpBuilder &builder;
  ActiveValues &active;
  llvm::SetVector<mlir::Operation *> &cuts;
  const llvm::DenseSet<mlir::Value> *ofInputs = nullptr;
  llvm::MapVector<mlir::Value, mlir::Value> gradients;
};

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H
