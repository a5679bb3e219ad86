// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks outputs against their declarations, and adds the counts of outputs with open axes.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H

#include "compiler/import/entry/SettledInputs.h"
#include "compiler/import/model/GraphView.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Reports an error at `loc` if the graph computes another element type than the model declares. Warns if the shape
/// differs, because ONNX Runtime and TensorFlow Lite run such models, too. For a variable, this is an error. `counts`
/// are the counts of the value's axes. The declared size of an open axis may be smaller than its maximum.
mlir::LogicalResult checkOutput(const GraphValue &output, mlir::Value value, const nn::AxisCounts &counts,
                                const SettledInputs &inputs, mlir::Location loc);

/// Appends the counts of results with open axes to `results`, each once. Returns, for each other result, the indices of
/// the results that are counts of its axes.
llvm::SmallVector<llvm::SmallVector<int64_t>> addCounts(llvm::SmallVectorImpl<mlir::Value> &results,
                                                        const ImportState &shared);

/// Sets the type of `function` and the notes of its results, which its terminator returns: `outputs`, with the `counts`
/// that addCounts() has returned, then the counts, then results with the notes `limits`.
mlir::LogicalResult noteResults(mlir::func::FuncOp function, llvm::ArrayRef<GraphValue> outputs,
                                llvm::ArrayRef<llvm::SmallVector<int64_t>> counts,
                                llvm::ArrayRef<mlir::Attribute> limits);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H
