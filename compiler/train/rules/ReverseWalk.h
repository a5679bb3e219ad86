// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies the chain rule: passes the gradients of results on to operands.
// Why: this is the same for every operator, loop body and branch. A rule only knows its own operator.
// How: values are active if they depend on those to differentiate for. The operators of a block are visited from last
//      to first. If a result of an active operator has a gradient, its rule (GradientRules.h) gives the gradients of
//      the operands. Gradients of several uses are added up. All new operators follow the differentiated ones.

#ifndef NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H
#define NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H

#include "compiler/train/rules/Writer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::train {

/// Values that depend on those to differentiate for.
class ActiveValues {
public:
  void insert(mlir::Value value) { values.insert(value); }
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// Adds the results of a block's operators, and of those in their regions, that depend on active values.
  void follow(mlir::Block &block);
  /// Marks `to` active instead of `from`, if that was active.
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
  /// Writes at the insertion point of `builder`. `cuts` collects the operators at which gradients end although their
  /// operands are active.
  ReverseWalk(mlir::OpBuilder &builder, ActiveValues &active, llvm::SetVector<mlir::Operation *> &cuts)
      : builder(builder), active(active), cuts(cuts) {}

  /// Adds a gradient of one more use of `value`. Does nothing if `gradient` is null or `value` is not active.
  void give(mlir::Value value, mlir::Value gradient);
  /// Returns the sum of the gradients given to `value` so far; null before the first one.
  mlir::Value lookup(mlir::Value value) const { return gradients.lookup(value); }
  mlir::Value lookupOrZeros(mlir::Value value);

  /// Moves the gradient and activity of `from` to `to`, a new version of the same result.
  void replace(mlir::Value from, mlir::Value to);

  /// Visits a block's operators, except for a terminator. Errors name all operators without a rule.
  llvm::LogicalResult run(mlir::Block &block);

  /// Sets the values that depend on inputs of the network; others depend on weights only. Only names depend on this.
  void setOfInputs(const llvm::DenseSet<mlir::Value> *values) { ofInputs = values; }
  bool isMadeOfWeights(mlir::Value value) const { return ofInputs && !ofInputs->contains(value); }

  mlir::OpBuilder &getBuilder() { return builder; }
  /// Returns the operator after which the next one is written; null at the beginning of a block.
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
