// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention compared with its pieces; see Differential.h.

#include "test/unit/codegen/AttentionTexts.h"
#include "test/unit/codegen/CodedAttentionTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using nacre::codegen::AttentionText;
using nacre::codegen::CodedAttentionText;
using CpuAttention = nacre::codegen::test::Differential;

namespace {

TEST_F(CpuAttention, AttentionOfHeadsInARow) {
  checkOnAll(
      AttentionText{4, 32, 48, 16, 32, /*interleaved=*/true, false, /*masked=*/true, "f32", /*cutAmongRows=*/true}
          .text());
}

/// Tails of vectors, of panels and of blocks of rows.
TEST_F(CpuAttention, AttentionOfOddSizes) {
  for (AttentionText odd : {AttentionText{3, 7, 5, 9, 11}, {1, 53, 37, 3, 70}, {2, 1, 130, 64, 1}, {1, 1, 1, 1, 1}}) {
    checkOnAll(odd.text());
    odd.cutAmongRows = odd.interleaved = odd.masked = true;
    checkOnAll(odd.text());
  }
}

/// Units are several blocks of rows of a head, and a block of scores is less than a unit's rows.
TEST_F(CpuAttention, AttentionOfManyRows) {
  check(AttentionText{1, 211, 300, 20, 24, true, false, true, "f32", true}.text());
  check(AttentionText{2, 200, 80, 8, 16}.text());
}

/// Sums of so many steps are added up in blocks.
TEST_F(CpuAttention, AttentionOfLongRows) {
  check(AttentionText{1, 9, 2100, 4, 8, true, false, true, "f32", true}.text());
}

TEST_F(CpuAttention, AttentionWithSharedKeys) {
  check(AttentionText{6, 12, 20, 8, 8, true, /*shared=*/true, false, "f32", true}.text());
}

/// Bounds are arithmetic with indices; a sink joins the maximum and the sum of a row.
TEST_F(CpuAttention, AttentionWithBoundsAndSink) {
  for (AttentionText bounded : {AttentionText{3, 7, 9, 9, 11}, {1, 53, 61, 3, 70}, {2, 1, 130, 64, 1}}) {
    bounded.bounded = true;
    checkOnAll(bounded.text());
    bounded.cutAmongRows = bounded.interleaved = bounded.masked = bounded.sunk = true;
    checkOnAll(bounded.text());
  }
  AttentionText halves{2, 17, 33, 16, 24, true, false, true, "f16", true, /*bounded=*/true, /*sunk=*/true};
  check(halves.text(), /*tolerance=*/1e-2);
}

/// Keys that no row of a block sees are not computed: before a window, and after the diagonal. Blocks end within a
/// chunk of keys.
TEST_F(CpuAttention, AttentionSkipsHiddenKeys) {
  AttentionText bounded{2, 130, 200, 9, 11};
  bounded.bounded = true;
  checkOnAll(bounded.text());
  bounded.causal = true;
  checkOnAll(bounded.text());
  AttentionText heads{1, 211, 300, 20, 70, true, false, /*masked=*/true, "f32", true, /*bounded=*/true, /*sunk=*/true};
  check(heads.text());
}

/// The first rows see no key, or the last ones; so do whole blocks of rows.
TEST_F(CpuAttention, AttentionOfRowsWithoutKeys) {
  AttentionText bounded{2, 130, 200, 9, 11};
  bounded.bounded = true;
  for (int64_t offset : {-70, 150}) {
    bounded.offset = offset;
    bounded.causal = false;
    check(bounded.text());
    bounded.causal = true;
    check(bounded.text());
  }
}

/// The sums of visible keys are narrowed when a row is finished, also in a tail of columns.
TEST_F(CpuAttention, AttentionOfHalvesSkipsHiddenKeys) {
  for (bool causal : {false, true})
    for (int64_t columns : {11, 32}) {
      AttentionText halves{2, 130, 200, 9, columns};
      halves.bounded = true;
      halves.causal = causal;
      halves.element = "bf16";
      checkOnAll(halves.text(), /*tolerance=*/1e-2);
      halves.element = "f16"; // which the oldest CPUs do not convert
      halves.cutAmongRows = halves.interleaved = true;
      check(halves.text(), /*tolerance=*/1e-2);
    }
}

/// A product with a NaN is a NaN, also if the weight is 0. The values of the last three chunks are NaNs.
TEST_F(CpuAttention, AttentionDoesNotMultiplyHiddenValues) {
  for (const char *element : {"f32", "bf16"}) {
    AttentionText causal{1, 16, 256, 8, 16};
    causal.bounded = causal.causal = true;
    causal.element = element;
    EXPECT_FALSE(readsNans(causal.text(), /*input=*/2, /*first=*/64 * causal.columns)) << element;
    causal.offset = 50; // The last row sees key 65.
    EXPECT_TRUE(readsNans(causal.text(), /*input=*/2, /*first=*/64 * causal.columns)) << element;
  }
}

TEST_F(CpuAttention, AttentionOfHalves) {
  AttentionText halves{2, 17, 33, 16, 24, true, false, true, "bf16", true};
  checkOnAll(halves.text(), /*tolerance=*/1e-2);
  halves.element = "f16"; // which the oldest CPUs do not convert
  check(halves.text(), /*tolerance=*/1e-2);
}

/// A weight on the border between two codes may become either.
constexpr double kStep = 5e-3;

/// Tails of vectors, of panels, of words of bytes and of blocks of rows; zero points, or none.
TEST_F(CpuAttention, AttentionOfCodes) {
  for (CodedAttentionText codes :
       {CodedAttentionText{4, 32, 48, 16, 32}, {3, 7, 5, 9, 11}, {1, 53, 37, 3, 70}, {2, 1, 130, 64, 1}}) {
    checkOnAll(codes.text(), kStep);
    codes.centred = codes.cutAmongRows = true;
    checkOnAll(codes.text(), kStep);
  }
}

/// Tiles as on arm64, and units that are several blocks of rows of a head.
TEST_F(CpuAttention, AttentionOfSignedCodes) {
  checkOnAll(CodedAttentionText{2, 33, 40, 24, 20, /*isUnsigned=*/false}.text(), kStep);
  check(CodedAttentionText{1, 211, 300, 20, 24, true, false, /*cutAmongRows=*/true}.text(), kStep);
}

} // namespace
