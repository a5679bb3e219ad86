// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: what the launches of a plan, and its kernels once they are compiled, add to the report.

#ifndef NACRE_COMPILER_DESCRIBELAUNCHES_H
#define NACRE_COMPILER_DESCRIBELAUNCHES_H

#include "codegen/package/TableObject.h"
#include "compiler/CompileReport.h"

namespace nacre {

/// A row for each weight that is stored narrower than the model has it.
std::vector<NarrowWeight> describeNarrowWeights(mlir::ModuleOp encoded);

/// A row for each launch, in order. `first` is the CPU of the kernels' first variants.
std::vector<LaunchReport> describeLaunches(mlir::ModuleOp scheduled, llvm::ArrayRef<package::CompiledKernel> kernels,
                                           const codegen::Target &first);

/// Of the entry that needs the most.
uint64_t arenaBytes(mlir::ModuleOp scheduled);
/// Of all states, each counted once.
uint64_t stateBytes(mlir::ModuleOp scheduled);

} // namespace nacre

#endif // NACRE_COMPILER_DESCRIBELAUNCHES_H
