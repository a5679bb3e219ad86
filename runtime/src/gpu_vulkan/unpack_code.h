// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V out of the packed form that a library carries it in.
// Why: as words it would be the largest part of a small model, and apps are downloaded.
// How: the form is told at nacre_gpu_variant; codegen/package/PackGpuCode.h writes it.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_UNPACK_CODE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_UNPACK_CODE_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime::gpu {

/// Writes the variant's code_bytes to `words`. False where what is packed is damaged; reads and writes nothing beyond
/// its bounds even so.
bool unpack_code(const nacre_gpu_variant &variant, uint32_t *words);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_UNPACK_CODE_H
