// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks outputs against their declarations, and adds the counts of outputs of open size.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H
#define NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H

#include "compiler/import/entry/SettledInputs.h"
#include "compiler/import/model/GraphView.h"

namespace nacre::importer {

/// Reports an error at `loc` if the graph computes another element type than the model declares. Warns about another
/// shape, because ONNX Runtime and TensorFlow Lite run such models, too; for a variable it is an error. `counts` belong
/// to the value's axes. If a size is known only at run time, the declared one may be smaller.
mlir::LogicalResult checkOutput(const GraphValue &output, mlir::Value value, const nn::AxisCounts &counts,
                                const SettledInputs &inputs, mlir::Location loc);

/// Appends the counts of open results, each once. Returns, for each other result, the results that are the counts of
/// its axes.
llvm::SmallVector<llvm::SmallVector<int64_t>> addCounts(llvm::SmallVectorImpl<mlir::Value> &results,
                                                        const ImportState &shared);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_DECLAREDOUTPUTS_H
