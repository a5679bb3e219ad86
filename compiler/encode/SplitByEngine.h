// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies kernels for launches on the CPU whose weights no GPU reads.
// Why: all weights of a kernel have one layout, and GPUs do not read groups of two steps. A weight that only the CPU
//      reads would lose its groups if a launch of the same kernel, with another weight, may be on a GPU.

#ifndef NACRE_COMPILER_ENCODE_SPLITBYENGINE_H
#define NACRE_COMPILER_ENCODE_SPLITBYENGINE_H

#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace nacre::encode {

/// Gives such launches of `module` a copy of their kernel, and returns the pairs of kernel and copy. `groupedInput`
/// returns the index of the input that a kernel reads in groups of steps that GPUs do not read, or `nullopt`.
llvm::SmallVector<std::pair<plan::KernelOp, plan::KernelOp>>
splitByEngine(mlir::ModuleOp module, mlir::SymbolTable &symbols,
              llvm::function_ref<std::optional<unsigned>(plan::KernelOp)> groupedInput);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_SPLITBYENGINE_H
