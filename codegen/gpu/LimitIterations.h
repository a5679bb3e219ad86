// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  limits the total number of loop iterations of an invocation.
// Why:   Mesa's software GPUs leave all loops of a shader after a total of 65,535 iterations
//        (LP_MAX_TGSI_LOOP_ITERATIONS), and report no error.
// How:   loops are unrolled if an invocation exceeds the limit, innermost loops first. The order of operations stays
//        the same, so results are bit-identical.

#ifndef NACRE_CODEGEN_GPU_LIMITITERATIONS_H
#define NACRE_CODEGEN_GPU_LIMITITERATIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacre::codegen::gpu {

/// Number of iterations, over all loops, that an invocation may execute on any device. Iterations of nested loops are
/// multiplied.
inline constexpr int64_t kMostIterations = 65535;

/// Unrolls loops until an invocation executes at most kMostIterations. Returns false, and leaves the function
/// unchanged, if that is impossible. Loops with a data-dependent end are not unrolled.
bool limitIterations(mlir::gpu::GPUFuncOp function);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_LIMITITERATIONS_H
