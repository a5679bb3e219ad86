// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says in a shader that NaN, infinities and the sign of zero count.
// Why: where nothing says so, a driver may take x - x for 0. Not all devices have shaders that say it, and in a library
//      the words would be there once for each variant.
// How: SPV_KHR_float_controls: a capability, the extension, and a mode of the entry point, where SPIR-V's order wants
//      them.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_SPECIAL_VALUES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_SPECIAL_VALUES_H

#include <stdint.h>

namespace nacre::runtime::gpu {

/// How many words a module is longer by.
constexpr uint32_t kPreservingWords = 13;

/// `words` + kPreservingWords has a module of `count` words, divided into instructions; `words` has the longer one then.
/// False where the module has no entry point.
bool preserve_special_values(uint32_t *words, uint32_t count);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_SPECIAL_VALUES_H
