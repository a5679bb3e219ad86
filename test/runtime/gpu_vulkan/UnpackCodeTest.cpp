// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  SPIR-V comes out of its packed form as it went in, and damaged code is refused.
// Why:   a wrong word is a wrong answer or a crash of the driver; a wrong place is a hole.
// How:   words of all kinds there and back; then bytes changed at random, in buffers of exactly their size, which the
//        address sanitizer watches.

#include "codegen/package/PackGpuCode.h"
#include "runtime/src/gpu_vulkan/unpack_code.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace nacre::test {
namespace {

using Words = std::vector<uint32_t>;

const Words kHead = {0x07230203, 0x00010300, 22, 500, 0};

bool unpack(const std::vector<uint8_t> &packed, uint32_t *words, size_t count) {
  nacre_gpu_variant variant = {};
  variant.code = packed.data();
  variant.packed_bytes = uint32_t(packed.size());
  variant.code_bytes = uint32_t(count * sizeof(uint32_t));
  return runtime::gpu::unpack_code(variant, words);
}

void expectSame(const Words &words) {
  Words result(words.size(), 0xdddddddd);
  ASSERT_TRUE(unpack(package::packGpuCode(words.data(), words.size()), result.data(), result.size()));
  EXPECT_EQ(result, words);
}

void add(Words &words, uint32_t opcode, std::initializer_list<uint32_t> operands) {
  words.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
  words.insert(words.end(), operands);
}

/// A loop's body as kernels have it, written out `times` times: each one's results are operands of the next.
Words writtenOut(uint32_t times) {
  Words words = kHead;
  uint32_t id = 100;
  for (uint32_t i = 0; i < times; ++i, id += 4) {
    add(words, 65, {9, id, 16, 7, id - 1}); // OpAccessChain
    add(words, 61, {5, id + 1, id});        // OpLoad
    add(words, 133, {5, id + 2, id + 1, 60});
    add(words, 129, {5, id + 3, id + 2, id - 1});
  }
  return words;
}

TEST(UnpackCode, GivesBackWords) {
  expectSame(kHead);
  expectSame(writtenOut(1));
  expectSame(writtenOut(300)); // copies longer than the longest, numbers of several bytes
  Words large = kHead;
  add(large, 43, {1, 2, UINT32_MAX});
  add(large, 43, {1, 3, 0});
  add(large, 43, {1, 4, 0x80000000});
  add(large, 43, {1, 5, 0x7fffffff});
  expectSame(large);
}

TEST(UnpackCode, GivesBackInstructionsOfAnyLength) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    Words words = kHead;
    for (uint32_t instructions = random() % 60; instructions-- > 0;) {
      const uint32_t length = 1 + random() % 9;
      words.push_back(length << 16 | random() % 8);
      for (uint32_t operand = 1; operand < length; ++operand)
        words.push_back(random() >> random() % 32);
    }
    expectSame(words);
  }
}

// The price of a shader is what this gains: differences repeat, words do not.
TEST(UnpackCode, IsOfCodeThatIsPackedSmall) {
  const Words words = writtenOut(300);
  EXPECT_LT(package::packGpuCode(words.data(), words.size()).size() * 50, words.size() * sizeof(uint32_t));
}

TEST(UnpackCode, RefusesDistancesBeyondTheBeginning) {
  Words words(64);
  EXPECT_FALSE(unpack({0, 2, 3, 1}, words.data(), words.size())); // one word, then two from two back
  EXPECT_FALSE(unpack({0, 2, 3, 0xff, 0x7f}, words.data(), words.size()));
  EXPECT_FALSE(unpack({1, 0}, words.data(), words.size())); // a copy of nothing
}

TEST(UnpackCode, RefusesInstructionsBeyondTheEnd) {
  Words words = kHead;
  words.push_back(9 << 16 | 43);
  words.push_back(1);
  Words result(words.size());
  EXPECT_FALSE(unpack(package::packGpuCode(words.data(), words.size()), result.data(), result.size()));
  words = kHead;
  words.push_back(43); // of no words
  result.resize(words.size());
  EXPECT_FALSE(unpack(package::packGpuCode(words.data(), words.size()), result.data(), result.size()));
}

TEST(UnpackCode, StaysWithinItsBoundsWhateverIsDamaged) {
  std::mt19937 random(11);
  const Words words = writtenOut(40);
  const std::vector<uint8_t> packed = package::packGpuCode(words.data(), words.size());
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> damaged(packed.begin(), packed.begin() + (i % 3 ? packed.size() : random() % packed.size()));
    for (uint32_t changes = 1 + random() % 4; changes-- > 0 && !damaged.empty();)
      damaged[random() % damaged.size()] = uint8_t(random());
    damaged.shrink_to_fit();
    const size_t count = i % 5 ? words.size() : random() % 2000;
    const std::unique_ptr<uint32_t[]> result(new uint32_t[count + 1]);
    result[count] = 0x5a5a5a5a;
    refused += !unpack(damaged, result.get(), count);
    ASSERT_EQ(result[count], 0x5a5a5a5au);
  }
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace nacre::test
