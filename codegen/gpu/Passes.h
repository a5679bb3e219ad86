// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass of GPU code generation, and what compileGpuKernel calls directly instead.

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

/// The variants of a kernel as modules before it, the best first; none, and why, where no emitter takes it.
struct EmittedKernel {
  llvm::SmallVector<mlir::gpu::GPUModuleOp> variants;
  std::string declined;
};
llvm::FailureOr<EmittedKernel> emitKernel(plan::KernelOp kernel, const GpuOptions &options);

/// What its emitter said about a variant, from its function's attributes. The code is left empty.
GpuKernelCode readVariant(mlir::gpu::GPUModuleOp module);

/// What noteAlignments has noted; where that is nothing, buffers begin where any device may bind them.
llvm::SmallVector<int64_t> readAlignments(plan::KernelOp kernel);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_PASSES_H
