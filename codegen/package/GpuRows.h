// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  creates the runtime's tables of GPU code: a row for each variant, and a hash that identifies all GPU code in
//        cache files.

#ifndef NACRE_CODEGEN_PACKAGE_GPUROWS_H
#define NACRE_CODEGEN_PACKAGE_GPUROWS_H

#include "codegen/package/TableObject.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::package {

/// Returns the row of `variant`, without pointers to its code and its bindings.
nacre_gpu_variant gpuVariantRow(const codegen::GpuKernelCode &variant);

/// Returns a hash of the rows, code and bindings of all GPU variants, and of their assignment to kernels. 0 if no
/// kernel has GPU code. The hash is the same on every machine that compiles.
uint64_t hashOfGpuCode(llvm::ArrayRef<CompiledKernel> kernels);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_GPUROWS_H
