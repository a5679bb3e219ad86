// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unpacks SPIR-V from its packed form in the library.
// Why: unpacked SPIR-V would be the largest part of a small model, and users download apps.
// How: the comment of nacre_gpu_variant describes the packed form. codegen/package/PackGpuCode.h writes it.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_UNPACK_CODE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_UNPACK_CODE_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime::gpu {

/// Unpacks the variant's code, which has `code_bytes` bytes, to `words`. Returns false if the packed form is damaged.
/// Even then, accesses no memory outside of both buffers.
bool unpack_code(const nacre_gpu_variant &variant, uint32_t *words);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_UNPACK_CODE_H
