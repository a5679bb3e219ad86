// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements special_values.h. The words before each insertion move to the front. The words after the last insertion
// stay.

#include "runtime/src/gpu_vulkan/special_values.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime::gpu {
namespace {

constexpr uint32_t kExtension = 10, kEntryPoint = 15, kExecutionMode = 16, kCapability = 17; // Opcodes.
constexpr uint32_t kPreserves = 4466, kPreserve = 4461; // SignedZeroInfNanPreserve: capability and execution mode.

constexpr uint32_t first_word(uint32_t opcode, uint32_t words) { return words << 16 | opcode; }

constexpr struct {
  uint32_t capability[2] = {first_word(kCapability, 2), kPreserves};
  uint32_t extension = first_word(kExtension, 7);
  char name[24] = "SPV_KHR_float_controls";
} kDeclaration;

} // namespace

bool preserve_special_values(uint32_t *words, uint32_t count) {
  const uint32_t *from = words + kPreservingWords, *const end = from + count;
  uint32_t length = NACRE_GPU_CODE_HEAD;
  for (bool declared = false;;) {
    const bool is_entry = declared && uint16_t(*from) == kEntryPoint;
    const uint32_t entry = from[2];
    for (; length; --length)
      *words++ = *from++;
    if (is_entry) {
      const uint32_t mode[] = {first_word(kExecutionMode, 4), entry, kPreserve, 32};
      __builtin_memcpy(words, mode, sizeof mode);
      return true;
    }
    if (end - from < 3) // The module is damaged, because an entry point has more words.
      return false;
    length = *from >> 16;
    if (!declared && uint16_t(*from) != kCapability) {
      declared = true;
      __builtin_memcpy(words, &kDeclaration, sizeof kDeclaration);
      words += sizeof kDeclaration / sizeof *words;
    }
  }
}

} // namespace nacre::runtime::gpu
