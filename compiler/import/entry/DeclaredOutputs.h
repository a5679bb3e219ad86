// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model declares of its outputs, against what its graph computes, and the counts that outputs of open size need.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H

#include "compiler/import/entry/SettledInputs.h"
#include "compiler/import/model/GraphView.h"

namespace nacre::importer {

/// Emits an error at `loc` if the graph computes a value of another element type than the model declares, and a warning if
/// its shape is another: ONNX Runtime and TensorFlow Lite compute such a model as well. A variable must keep its shape.
/// `counts` are those of the value's axes: where a run decides a size, a declared one may be less.
mlir::LogicalResult checkOutput(const GraphValue &output, mlir::Value value, const nn::AxisCounts &counts,
                                const SettledInputs &inputs, mlir::Location loc);

/// Appends the counts of open results, each once. For each of the others the results that are its axes' counts.
llvm::SmallVector<llvm::SmallVector<int64_t>> addCounts(llvm::SmallVectorImpl<mlir::Value> &results,
                                                        const ImportState &shared);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H
