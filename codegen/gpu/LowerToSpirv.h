// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  lowers the gpu dialect to a SPIR-V module for Vulkan.
// Why:   all kernels use the same conversion. So the set of legal operations is known, and every module declares its
//        needs.
// How:   MLIR's patterns do the conversion. Every type keeps its width, so narrow types are not emulated.

#ifndef NACRE_CODEGEN_GPU_LOWERTOSPIRV_H
#define NACRE_CODEGEN_GPU_LOWERTOSPIRV_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::codegen::gpu {

struct SpirvModule {
  mlir::spirv::ModuleOp module;
  uint64_t needs = 0; ///< Bit mask (NACRE_GPU_NEED) of the module's capabilities.
};

/// Replaces `module` by a SPIR-V module under the same parent.
llvm::FailureOr<SpirvModule> lowerToSpirv(mlir::gpu::GPUModuleOp module);

/// Appends the binary of `module` to `words`.
llvm::LogicalResult serialize(SpirvModule &module, llvm::SmallVectorImpl<uint32_t> &words);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_LOWERTOSPIRV_H
