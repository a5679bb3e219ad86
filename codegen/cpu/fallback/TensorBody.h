// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the body of a kernel on tensors, prepared for bufferization.
// Why:   bufferization copies nothing if each value is already computed in the slice of the storage that has it.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_TENSORBODY_H
#define NACRE_CODEGEN_CPU_FALLBACK_TENSORBODY_H

#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/fallback/OutputSlices.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::codegen::cpu {

/// Copies the body of `kernel` to the position of `rewriter`, in the function of `function`. Every written value is
/// computed in its slice. Returns these slices.
llvm::SmallVector<OutputSlice, 1> copyBody(plan::KernelOp kernel, const KernelFunction &function,
                                           mlir::IRRewriter &rewriter);

/// Replaces pads by tensors in scratch.
void decomposePads(mlir::func::FuncOp func, mlir::IRRewriter &rewriter);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_TENSORBODY_H
