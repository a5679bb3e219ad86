// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the launches of a plan and its compiled kernels to the report.

#ifndef NACRE_COMPILER_REPORT_DESCRIBELAUNCHES_H
#define NACRE_COMPILER_REPORT_DESCRIBELAUNCHES_H

#include "codegen/package/TableObject.h"
#include "compiler/report/CompileReport.h"

namespace nacre {

/// Returns a report for each weight that is stored in a narrower type than in the model.
std::vector<NarrowWeight> describeNarrowWeights(mlir::ModuleOp encoded);

/// Returns a report for each launch, in order. `first` is the CPU of the kernels' first variants.
std::vector<LaunchReport> describeLaunches(mlir::ModuleOp scheduled, llvm::ArrayRef<package::CompiledKernel> kernels,
                                           const codegen::Target &first, const QuantizedContractions &contractions);

/// Returns the size in bytes of the largest arena of all entries.
uint64_t arenaBytes(mlir::ModuleOp scheduled);
/// Returns the size in bytes of all states. States that entries share count once.
uint64_t stateBytes(mlir::ModuleOp scheduled);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBELAUNCHES_H
