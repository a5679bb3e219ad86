// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the chain rule: gradients of values, from what follows them to what they were made of.
// Why:   it is the same for every operator, loop body and branch; a rule only knows its own operator.
// How:   active is what depends on a value that is asked about. A block's operators are visited from the last to the first;
//        where a result of an active one has a gradient, its rule (GradientRules.h) gives those of the operands, which are
//        added up where a value has several uses. All that is written stands behind what is differentiated.

#ifndef NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H
#define NACRE_COMPILER_TRAIN_RULES_REVERSEWALK_H

#include "compiler/train/rules/Writer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::train {

/// The values that depend on those that are asked about.
class ActiveValues {
public:
  void insert(mlir::Value value) { values.insert(value); }
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// Adds the results of a block's operators, and of those in their regions, that depend on active values.
  void follow(mlir::Block &block);
  /// `to` takes the place of `from`.
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
  /// Writes where `builder` stands. `cuts` takes the operators at which gradients end though something active is behind them.
  ReverseWalk(mlir::OpBuilder &builder, ActiveValues &active, llvm::SetVector<mlir::Operation *> &cuts)
      : builder(builder), active(active), cuts(cuts) {}

  /// One more use of `value`, with that gradient; null: none. Nothing happens where `value` is not active.
  void give(mlir::Value value, mlir::Value gradient);
  /// What has been given to `value`, null: nothing.
  mlir::Value lookup(mlir::Value value) const { return gradients.lookup(value); }
  mlir::Value lookupOrZeros(mlir::Value value);

  /// `to`, another result of the same, takes the place of `from`.
  void replace(mlir::Value from, mlir::Value to);

  /// Visits a block's operators, a terminator apart. Errors name all operators that have no rule.
  llvm::LogicalResult run(mlir::Block &block);

  /// Which values depend on inputs of the network; others are made of weights. Names alone follow from it.
  void setOfInputs(const llvm::DenseSet<mlir::Value> *values) { ofInputs = values; }
  bool isMadeOfWeights(mlir::Value value) const { return ofInputs && !ofInputs->contains(value); }

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The operator behind which the next one is written; null at the beginning of a block.
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
