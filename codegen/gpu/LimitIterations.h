// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  limits the iterations of an invocation.
// Why:   Mesa's software GPUs leave all loops of a shader after 65,535 iterations in total
//        (LP_MAX_TGSI_LOOP_ITERATIONS), and report nothing.
// How:   loops that exceed the limit are unrolled, innermost first. The order of operations does not change, so results
//        are bit-identical.

#ifndef NACRE_CODEGEN_GPU_LIMITITERATIONS_H
#define NACRE_CODEGEN_GPU_LIMITITERATIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacre::codegen::gpu {

/// Iterations that an invocation may run on any device, over all loops; those of nested loops are multiplied.
inline constexpr int64_t kMostIterations = 65535;

/// Unrolls loops until an invocation runs at most kMostIterations. Returns false, and leaves the function unchanged, if
/// that is impossible. Loops with a data-dependent end are not unrolled.
bool limitIterations(mlir::gpu::GPUFuncOp function);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_LIMITITERATIONS_H
