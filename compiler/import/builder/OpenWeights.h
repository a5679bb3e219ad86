// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of a trained model, which are arguments instead of constants, and other state that training keeps from step
// to step.
//
// Handlers transpose, join and scale weights as they read them. On an argument, operators do this, so that gradients
// reach the weight as the model has it, under its name. A weight becomes an argument when it is first read. A node that
// must know its elements fails then and is imported again with constants. Such a weight is not trained.

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

  /// Returns the results of `run` for the `operands` of a node. If it fails, runs it again with constants instead of
  /// open weights. The constants also replace the weights in `known`.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  run(llvm::SmallVectorImpl<mlir::Value> &operands, llvm::StringMap<mlir::Value> &known, ImportState &shared,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>()> run);

  /// True if nodes behave as in training.
  bool isTraining() const { return entry.isTraining; }

  /// Returns the batch at which the model is imported, or 0 if the model states the same one.
  int64_t getNewBatch() const { return entry.batch == statedBatch ? 0 : entry.batch; }
  /// Sets the batch that the model states; 0 if it leaves its batch open.
  void setStatedBatch(int64_t size) { statedBatch = size; }
  /// True if `size`, axis 0 of the new shape of `x`, is the batch that the model states or was exported with.
  bool isOldBatch(mlir::Value x, int64_t size) const;
  /// True if `x` depends on inputs of a run, not only on weights.
  bool isOfInputs(mlir::Value x) const;

  /// True if a normalization with this scale uses the statistics of the batch.
  bool normalizesByBatch(mlir::Value scale) const;
  /// Marks a weight that its node updates, not its gradient.
  void setStatistic(mlir::Value value);
  /// Sets the value of a statistic at the end of the run.
  void assign(mlir::Value statistic, mlir::Value next);
  /// Returns the number of steps so far, an i64.
  mlir::Value getStep();
  uint64_t getSeed() const { return entry.seed; }

  /// Adds the assigned values to the results.
  void giveResults();

  /// Erases arguments without uses.
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
