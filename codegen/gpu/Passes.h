// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass of GPU code generation, and the functions that compileGpuKernel calls directly.

#ifndef NACRE_CODEGEN_GPU_PASSES_H
#define NACRE_CODEGEN_GPU_PASSES_H

#include "codegen/Backend.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace nacre::codegen::gpu {

#define GEN_PASS_DECL
#include "codegen/gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/gpu/Passes.h.inc"

/// The variants of a kernel as modules that precede it, the best first. If every emitter declines, there are no
/// variants, and `declined` has the reason.
struct EmittedKernel {
  llvm::SmallVector<mlir::gpu::GPUModuleOp> variants;
  std::string declined;
};
llvm::FailureOr<EmittedKernel> emitKernel(plan::KernelOp kernel, const GpuOptions &options);

/// Returns the emitter's description of a variant, read from the attributes of its function. `code` stays empty.
GpuKernelCode readVariant(mlir::gpu::GPUModuleOp module);

/// Returns the alignments that noteAlignments() has written. Without this note, each is kGpuBufferAlignment.
llvm::SmallVector<int64_t> readAlignments(plan::KernelOp kernel);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_PASSES_H
