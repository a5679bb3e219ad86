// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements unpack_code.h. It 1. converts tokens to words, and 2. converts differences between instructions to
// instructions, in place. Damaged input can yield wrong words, but never an access outside of the buffers.

#include "runtime/src/gpu_vulkan/unpack_code.h"

namespace nacre::runtime::gpu {
namespace {

bool take_words(const uint8_t *next, const uint8_t *end, uint32_t *words, uint32_t count) {
  uint32_t literals = 0, copied = 0;
  for (uint32_t at = 0; at < count;) {
    uint32_t number = 0;
    for (uint8_t byte = 128; byte >= 128 && next != end;) {
      byte = *next++;
      number = number << 7 | (byte & 127);
    }
    if (literals) {
      words[at++] = number >> 1 ^ -(number & 1);
      --literals;
    } else if (copied) {
      if (number >= at)
        return false;
      for (; copied && at < count; --copied, ++at)
        words[at] = words[at - number - 1];
    } else {
      (number & 1 ? copied : literals) = number / 2 + 1;
    }
  }
  return true;
}

bool add_differences(uint32_t *words, uint32_t count) {
  uint32_t latest[NACRE_GPU_CODE_SLOTS] = {};
  uint32_t before = 0;
  for (uint32_t at = NACRE_GPU_CODE_HEAD; at < count;) {
    const uint32_t length = words[at] >> 16;
    if (length - 1 >= count - at)
      return false;
    uint32_t &like = latest[NACRE_GPU_CODE_SLOT(words[at], before)];
    for (uint32_t i = 1; like && i < length; ++i)
      words[at + i] += words[like + i];
    before = words[at];
    like = at;
    at += length;
  }
  return true;
}

} // namespace

bool unpack_code(const nacre_gpu_variant &variant, uint32_t *words) {
  const uint32_t count = variant.code_bytes / sizeof(uint32_t);
  return take_words(variant.code, variant.code + variant.packed_bytes, words, count) && add_differences(words, count);
}

} // namespace nacre::runtime::gpu
