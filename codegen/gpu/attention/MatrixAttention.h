// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  attention by cooperative matrices: products of f16, sums of f32.
// Why:   a head's work is small; what counts is how long its loads take, and how often they wait for one another.

#ifndef NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H
#define NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H

#include "codegen/gpu/attention/AttentionRows.h"

namespace nacre::codegen::gpu {

/// Whether sizes and types are such as matrices multiply, and a workgroup's shared memory holds what it needs.
bool fitsMatrices(const AttentionRows &attention);

/// Fills the body; the form fits.
void emitMatrixAttention(AttentionRows &attention);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_ATTENTION_MATRIXATTENTION_H
