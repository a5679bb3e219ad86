// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a model that is trained, until it is one module of entries; and how large a part of the batch a step takes at once.
// Why:   only who knows all phases can say what memory a choice comes to: parts are made smaller until it is what is allowed.

#ifndef NACRE_COMPILER_TRAINEDMODEL_H
#define NACRE_COMPILER_TRAINEDMODEL_H

#include "compiler/CompilerOptions.h"
#include "compiler/import/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <limits>

namespace nacre {

/// Whether a model asks for gradients itself.
bool asksForGradients(mlir::ModuleOp module);
/// Writes them.
mlir::LogicalResult writeGradients(mlir::ModuleOp module);

class TrainedModel {
public:
  /// `options.training` must be there.
  TrainedModel(const CompilerOptions &options, mlir::MLIRContext &context)
      : options(options), context(context), microBatch(options.training->microBatch) {}

  /// The model once for each entry, over the same weights. Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> import(importer::ImportOptions importOptions);
  /// Loss, gradients and updates.
  mlir::LogicalResult addSteps(mlir::ModuleOp module);

  /// Whether a session and its state take more than `--memory-cap` allows.
  bool exceedsCap(mlir::ModuleOp scheduled) const;
  /// From now on the batch is taken in the largest parts that are smaller than those of now; an error where there are none.
  mlir::LogicalResult takeSmallerParts(mlir::ModuleOp scheduled);
  /// Examples that a step takes at once; 0: the batch.
  int64_t getMicroBatch() const { return microBatch; }

private:
  const CompilerOptions &options;
  mlir::MLIRContext &context;
  int64_t microBatch, wholeBatch = 1;
  int64_t least = std::numeric_limits<int64_t>::max(); ///< Bytes that the parts tried so far have come to.
};

} // namespace nacre

#endif // NACRE_COMPILER_TRAINEDMODEL_H
