// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a model that is trained, until it is one module of entries; and how large a part of the batch a step takes at once.
// Why:   only who knows all phases can say what memory a choice comes to. Where it is more than what is allowed there are two ways: to
//        compute values again, which the schedule does for parts of any size, and smaller parts.
// How:   parts get smaller until all fits and nothing is computed again, or until that would take longer than what is. Then the
//        fastest of those that fit is the one. What its kernels need in scratch is known while they are compiled: if it is too much,
//        the search begins once more, and knows it.

#ifndef NACRE_COMPILER_TRAINEDMODEL_H
#define NACRE_COMPILER_TRAINEDMODEL_H

#include "codegen/MachineModel.h"
#include "compiler/import/Import.h"
#include "compiler/options/CompilerOptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <optional>
#include <string>

namespace nacre {

/// Whether a model asks for gradients itself.
bool asksForGradients(mlir::ModuleOp module);
/// Writes them.
mlir::LogicalResult writeGradients(mlir::ModuleOp module);
/// Names the gradients and updates of a model that trains itself, as reports and profiles expect. Its gradients are written.
mlir::LogicalResult nameOwnSteps(mlir::ModuleOp module);

class TrainedModel {
public:
  /// `options.training` must be there.
  TrainedModel(const CompilerOptions &options, mlir::MLIRContext &context)
      : options(options), context(context), microBatch(options.training->microBatch) {}

  /// Adds to `importOptions` what a model that is trained needs, and checks the options. False after an error.
  bool prepareImport(importer::ImportOptions &importOptions);
  /// The model once for each entry, over the same weights. `importOptions` are prepared. Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> import(importer::Model &model, importer::ImportOptions importOptions);
  /// Loss, gradients and updates.
  mlir::LogicalResult addSteps(mlir::ModuleOp module);

  /// Whether steps have a loss scale, because a GPU may compute gradients in f16.
  bool scalesLoss() const { return options.gpuPrecision == GpuPrecision::F16 && !isOnCpu; }
  /// From now on the CPU computes all steps.
  void leaveToCpu() { isOnCpu = true; }
  bool isLeftToCpu() const { return isOnCpu; }

  /// What an arena, inputs and outputs may have, so that with the state they are what `--memory-cap` allows.
  std::optional<int64_t> getMostBytes(mlir::ModuleOp placed) const;
  /// What follows from a plan in the present parts.
  enum class Verdict {
    Take,       ///< It is the one.
    TakeBefore, ///< The one before, which was kept, is.
    Keep,       ///< It fits; but others may be faster, and are now the present parts.
    Drop        ///< Others are the present parts.
  };
  /// An error where no parts fit.
  mlir::FailureOr<Verdict> judge(mlir::ModuleOp scheduled, const codegen::MachineModel &machine);
  /// Whether there are parts that fit, and others are tried: they need not do.
  bool isTrying() const { return best && !isSettled; }
  /// To the parts that fit.
  void giveUpTrying();

  /// How many bytes of scratch a thread may have in the plan that was taken; none: as many as it likes.
  std::optional<int64_t> getMostScratch(mlir::ModuleOp scheduled) const;
  /// Begins the search anew, knowing that these parts need so much scratch.
  void searchAgain(int64_t scratchBytes);

  /// Examples that a step takes at once; 0: the batch.
  int64_t getMicroBatch() const { return microBatch; }

private:
  /// Returns what the user can change so that the batch can be divided, from entries as they were imported; empty if it can.
  std::string findUndivided(mlir::ModuleOp module) const;
  /// The largest that are smaller than those of now; 0: there are none.
  int64_t getSmallerParts() const;
  /// Of a session with one thread of the entry that needs the most, and of the state.
  int64_t getBytes(mlir::ModuleOp scheduled) const;
  /// Of the kernels for these parts; 0 as long as nobody knows.
  int64_t getScratch() const;
  mlir::FailureOr<Verdict> failForLackOfMemory();

  /// Parts that fit, and nanoseconds of what is run.
  struct Fit {
    int64_t microBatch;
    double price;
  };
  /// Parts that need the least.
  struct Least {
    int64_t microBatch, bytes;
  };

  const CompilerOptions &options;
  mlir::MLIRContext &context;
  std::vector<std::string> watched; ///< Tensors that losses read.
  int64_t microBatch, wholeBatch = 1;
  std::string undivided;              ///< What would let the batch be taken in parts; empty: it may be.
  std::map<int64_t, int64_t> scratch; ///< Bytes, by parts.
  std::optional<Least> least;         ///< Of the parts tried so far.
  std::optional<Fit> best;
  bool isSettled = false; ///< These are the parts.
  bool isOnCpu = false;
};

} // namespace nacre

#endif // NACRE_COMPILER_TRAINEDMODEL_H
