// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  weights that are no constants, because the model is trained, and what else training keeps from step to step.
// Why:   handlers turn, join and scale weights as they read them. Of an argument they do this by operators, through which
//        gradients go back to the weight as the model has it, under its name.
// How:   a weight becomes an argument where it is read first. A node that must know its elements fails then, and is imported
//        once more with constants: such a weight is none that is trained.

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

  /// Whether a constant of the model is a weight that can be trained.
  static bool isTrainable(mlir::ElementsAttr value);

  /// The argument that the weight becomes.
  mlir::Value open(llvm::StringRef name, mlir::ElementsAttr value, mlir::Location loc);

  bool isOpen(mlir::Value value) const { return weights.contains(value); }

  /// What `run` gives of `operands`, a node's; where it fails, with constants for those that are open. These take the place of the
  /// weights in `known`, too.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  run(llvm::SmallVectorImpl<mlir::Value> &operands, llvm::StringMap<mlir::Value> &known, ImportState &shared,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>()> run);

  /// Whether nodes do what they do in training.
  bool isTraining() const { return entry.isTraining; }

  /// The batch that the model is imported at, where it is not the one that the model states, if it states one; else 0.
  int64_t getNewBatch() const { return entry.batch == statedBatch ? 0 : entry.batch; }
  /// 0: it leaves its batch open.
  void setStatedBatch(int64_t size) { statedBatch = size; }
  /// Whether `size`, of axis 0 of what `x` is reshaped to, is the batch that the model states, or was exported at.
  bool isOldBatch(mlir::Value x, int64_t size) const;
  /// Whether `x` is of the inputs of a run, and not of weights alone.
  bool isOfInputs(mlir::Value x) const;

  /// Whether a normalization with this scale is by the batch.
  bool normalizesByBatch(mlir::Value scale) const;
  /// A weight that training does not change by its gradient, but as its node says.
  void setStatistic(mlir::Value value);
  /// What a statistic is when the run ends.
  void assign(mlir::Value statistic, mlir::Value next);
  /// How many steps there were, an i64.
  mlir::Value getStep();
  uint64_t getSeed() const { return entry.seed; }

  /// Adds what is assigned to the results.
  void giveResults();

  /// Takes arguments away that nobody reads.
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
