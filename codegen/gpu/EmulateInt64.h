// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emulates 64-bit integers by two 32-bit words.
// Why:   labels, indices and the counter of training steps are i64, which the GPUs of older phones lack. If a launch
//        stays on the CPU for this reason, each run waits for it.
// How:   storages are read and written word by word. Operations become operations on words, with a carry.

#ifndef NACRE_CODEGEN_GPU_EMULATEINT64_H
#define NACRE_CODEGEN_GPU_EMULATEINT64_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nacre::codegen::gpu {

/// Rewrites all i64 scalars of `module`. Returns false, and leaves `module` unchanged, if it has an unsupported
/// operation on i64.
bool emulateInt64(mlir::gpu::GPUModuleOp module);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_EMULATEINT64_H
