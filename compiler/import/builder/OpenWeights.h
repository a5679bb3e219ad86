// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of a trained model, which are arguments instead of constants, and other state that training keeps between
// steps.
//
// Handlers transpose, join and scale weights as they read them. If the weight is an argument, operators do this, so
// gradients reach the weight in the form and under the name that the model has. A weight becomes an argument when it is
// first read. A node that must know the elements of a weight then fails, and is imported again with constants. That
// weight is not trained.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_OPENWEIGHTS_H
#define NACRE_COMPILER_IMPORT_BUILDER_OPENWEIGHTS_H

#include "compiler/import/builder/NnBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::importer {

class OpenWeights {
public:
  OpenWeights(mlir::func::FuncOp function, const TrainedEntry &entry) : function(function), entry(entry) {}

  /// True if a constant of the model is a weight that can be trained.
  static bool isTrainable(mlir::ElementsAttr value);

  /// Adds an argument for the weight and returns it.
  mlir::Value open(llvm::StringRef name, mlir::ElementsAttr value, mlir::Location loc);

  bool isOpen(mlir::Value value) const { return weights.contains(value); }

  /// Runs `run` with the `operands` of a node and returns its results. If it fails, replaces open weights in `operands`
  /// and `known` by constants, and runs it again.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  run(llvm::SmallVectorImpl<mlir::Value> &operands, llvm::StringMap<mlir::Value> &known, ImportState &shared,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>()> run);

  /// True if nodes behave as in training.
  bool isTraining() const { return entry.isTraining; }

  /// Returns the batch for which the model is imported, or 0 if it is the batch that the model states.
  int64_t getNewBatch() const { return entry.batch == statedBatch ? 0 : entry.batch; }
  /// Sets the batch that the model states, or 0 if the batch is open.
  void setStatedBatch(int64_t size) { statedBatch = size; }
  /// True if `size`, the size of axis 0 after a reshape of `x`, is the batch that the model states or was exported
  /// with.
  bool isOldBatch(mlir::Value x, int64_t size) const;
  /// True if `x` depends on inputs of the model, not only on weights.
  bool isOfInputs(mlir::Value x) const;

  /// True if a normalization with this scale uses the statistics of the batch.
  bool normalizesByBatch(mlir::Value scale) const;
  /// Marks `value` as a statistic: its node updates it, instead of a gradient.
  void setStatistic(mlir::Value value);
  /// Sets the value that `statistic` has after the run.
  void assign(mlir::Value statistic, mlir::Value next);
  /// Returns the number of steps so far, a scalar of i64.
  mlir::Value getStep();
  uint64_t getSeed() const { return entry.seed; }

  /// Adds the assigned values to the results of the function.
  void giveResults();

  /// Erases arguments for state that have no uses.
  void eraseUnused();

private:
  void close(llvm::SmallVectorImpl<mlir::Value> &operands, llvm::StringMap<mlir::Value> &known);
  std::optional<unsigned> numberOf(mlir::Value value) const;

  mlir::func::FuncOp function;
  const TrainedEntry &entry;
  int64_t statedBatch = 0;
  mlir::Value step;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> assigned;
  llvm::MapVector<mlir::Value, mlir::ElementsAttr> weights;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_OPENWEIGHTS_H
