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

/// The name of the placeholders for push constants; their numbers are those of nacre_gpu_variant.
inline constexpr char kPushConstant[] = "nacre.push_constant";

/// What noteAlignments notes on a kernel: for each operand a power of two of bytes.
inline constexpr char kAlignments[] = "nacre.alignments";
/// The same of a kernel on which nothing is noted: buffers that begin where any device may bind them.
llvm::SmallVector<int64_t> readAlignments(plan::KernelOp kernel);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_PASSES_H
