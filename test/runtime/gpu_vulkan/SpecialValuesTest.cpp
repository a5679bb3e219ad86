// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a shader says of NaN and infinities stands where SPIR-V's order of instructions wants it.
// Why:   drivers refuse what stands elsewhere, or ignore it. That they heed it is tested on models (test/special).
// How:   modules made by hand, in buffers of exactly their size, which the address sanitizer watches.

#include "runtime/src/gpu_vulkan/special_values.h"

#include <gtest/gtest.h>
#include <vector>

namespace nacre::test {
namespace {

using runtime::gpu::kPreservingWords;
using Words = std::vector<uint32_t>;

const Words kHead = {0x07230203, 0x00010300, 22, 500, 0};
const Words kShader = {0x00020011, 1}, kFloat16 = {0x00020011, 9};           // OpCapability
const Words kOtherExtension = {0x0003000a, 0x5f565053, 0x00000041};          // "SPV_A"
const Words kModel = {0x0003000e, 0, 1};                                     // OpMemoryModel
const Words kEntry = {0x0006000f, 5, 77, 0x6e69616d, 0, 12};                 // OpEntryPoint %77 "main" %12
const Words kSize = {0x00060010, 77, 17, 64, 1, 1}, kVoid = {0x00020013, 3}; // OpExecutionMode, OpTypeVoid

const Words kCapability = {0x00020011, 4466};
const Words kExtension = {0x0007000a, 0x5f565053, 0x5f52484b, 0x616f6c66, 0x6f635f74, 0x6f72746e, 0x0000736c};
const Words kMode = {0x00040010, 77, 4461, 32};

Words join(const std::vector<Words> &parts) {
  Words whole;
  for (const Words &part : parts)
    whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

bool preserve(const Words &module, Words &result) {
  result.assign(kPreservingWords, 0xdddddddd);
  result.insert(result.end(), module.begin(), module.end());
  result.shrink_to_fit();
  return runtime::gpu::preserve_special_values(result.data(), uint32_t(module.size()));
}

TEST(SpecialValues, AreDeclaredInOrder) {
  Words result;
  ASSERT_TRUE(preserve(join({kHead, kShader, kFloat16, kOtherExtension, kModel, kEntry, kSize, kVoid}), result));
  EXPECT_EQ(result, join({kHead, kShader, kFloat16, kCapability, kExtension, kOtherExtension, kModel, kEntry, kMode,
                          kSize, kVoid}));
}

TEST(SpecialValues, ModulesWithoutAnEntryPointAreDamaged) {
  Words result;
  EXPECT_FALSE(preserve(kHead, result));
  EXPECT_FALSE(preserve(join({kHead, kShader}), result));
  EXPECT_FALSE(preserve(join({kHead, kShader, kModel, kSize, kVoid}), result));
  EXPECT_FALSE(preserve(join({kHead, kShader, {0x0001000f}}), result));
}

} // namespace
} // namespace nacre::test
