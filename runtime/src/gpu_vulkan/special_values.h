// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a shader preserve NaN, infinities and the sign of zero.
// Why: without a declaration, a driver may replace x - x by 0. Not all devices support the declaration, and in a
//      library it would be repeated in each variant.
// How: inserts SPV_KHR_float_controls: a capability, the extension, and a mode of the entry point, at the places that
//      SPIR-V requires.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_SPECIAL_VALUES_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_SPECIAL_VALUES_H

#include <stdint.h>

namespace nacre::runtime::gpu {

/// Number of words that are added to a module.
constexpr uint32_t kPreservingWords = 13;

/// Adds the declaration to the module of `count` words that begins at `words` + kPreservingWords. The result begins at
/// `words`. Returns false if the module has no entry point.
bool preserve_special_values(uint32_t *words, uint32_t count);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_SPECIAL_VALUES_H
