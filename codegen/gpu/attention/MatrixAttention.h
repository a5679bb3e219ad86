// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits attention with cooperative matrices. Products have f16 operands, sums are f32.
// Why:   a head has little work. Its time depends on the latency of its loads, and on the number of loads that wait for
//        each other.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H
#define NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H

#include "codegen/gpu/attention/AttentionRows.h"

namespace nacre::codegen::gpu {

/// True if matrices support the sizes and types, and a workgroup has enough shared memory.
bool fitsMatrices(const AttentionRows &attention);

/// Fills the body. fitsMatrices() must be true.
void emitMatrixAttention(AttentionRows &attention);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H
