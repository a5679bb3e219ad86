// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes out dot products of bytes as products and sums of words.
// Why:   older GPUs lack the instructions, or execute them slowly. They still read words instead of single bytes.
// How:   shifts extract each byte of a word. Adjacent dot products share the extracted bytes.

#ifndef NACRE_CODEGEN_GPU_WRITEOUTDOTS_H
#define NACRE_CODEGEN_GPU_WRITEOUTDOTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacre::codegen::gpu {

/// Replaces all dot products of `module`.
void writeOutDots(mlir::gpu::GPUModuleOp module);

/// Returns the bit mask (NACRE_GPU_NEED) of the dot products in `op`.
uint64_t needsOfDots(mlir::Operation *op);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_WRITEOUTDOTS_H
