// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of every shape that workgroups meet: heads in a row or apart, rows and keys that fill no workgroup, masks, cuts.

#include "test/unit/codegen/AttentionTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

class GpuAttention : public GpuDifferential {};

TEST_F(GpuAttention, HeadsInARow) {
  check(AttentionText{4, 32, 48, 16, 32, /*interleaved=*/true, false, /*masked=*/true, "f32", /*cutAmongRows=*/true}
            .text());
  check(AttentionText{3, 197, 197, 64, 64, true, false, false, "f32", true}.text());
}

TEST_F(GpuAttention, HeadsApart) {
  check(AttentionText{6, 20, 36, 8, 12}.text());
  check(AttentionText{6, 20, 36, 8, 12, false, false, true, "f32", true}.text());
}

/// No fours anywhere, and fewer keys or columns than invocations of a row.
TEST_F(GpuAttention, OddSizes) {
  for (AttentionText odd : {AttentionText{3, 7, 5, 9, 11}, {1, 53, 37, 3, 70}, {2, 1, 130, 64, 1}, {1, 1, 1, 1, 1}}) {
    check(odd.text());
    odd.cutAmongRows = odd.interleaved = odd.masked = true;
    check(odd.text());
  }
}

/// The fewer rows a workgroup takes, the more keys they have.
TEST_F(GpuAttention, ManyKeys) {
  for (int64_t keys : {385, 1000, 3000})
    check(AttentionText{1, 9, keys, 8, 16, true, false, true, "f32", true}.text());
}

TEST_F(GpuAttention, SharedKeys) {
  check(AttentionText{6, 12, 20, 8, 8, true, /*shared=*/true, false, "f32", true}.text());
}

TEST_F(GpuAttention, Halves) { check(AttentionText{2, 17, 33, 16, 24, true, false, true, "f16", true}.text(), 1e-2); }

} // namespace
