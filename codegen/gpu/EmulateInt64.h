// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  64-bit integers as two words of 32 bits.
// Why:   labels, indices and the counter of training steps are i64, which the GPUs of older phones lack. A launch that stays on the CPU for
//        this makes each run wait for it.
// How:   storages are read and written word by word; operations become those of words, with a carry.

#ifndef NACRE_CODEGEN_GPU_EMULATEINT64_H
#define NACRE_CODEGEN_GPU_EMULATEINT64_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacre::codegen::gpu {

/// Rewrites all of the module's scalars of i64. Returns false, and changes nothing, if it has an operation on i64 that this does not know.
bool emulateInt64(mlir::gpu::GPUModuleOp module);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_EMULATEINT64_H
