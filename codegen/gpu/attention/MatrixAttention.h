// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  attention by cooperative matrices: products of f16, sums of f32.
// Why:   a head has little work. Its time is the latency of its loads, and the number of times that they wait for one
//        another.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H
#define NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H

#include "codegen/gpu/attention/AttentionRows.h"

namespace nacre::codegen::gpu {

/// True if matrices support the sizes and types, and the shared memory of a workgroup suffices.
bool fitsMatrices(const AttentionRows &attention);

/// Fills the body. `fitsMatrices` must hold.
void emitMatrixAttention(AttentionRows &attention);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H
