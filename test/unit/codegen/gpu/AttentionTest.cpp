// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of every shape that workgroups meet: heads in a row or apart, rows and keys that fill no workgroup, masks,
// cuts.

#include "runtime/include/nacre/model_format.h"
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

/// Invocations share keys, then; the last has fewer.
TEST_F(GpuAttention, FewRows) {
  for (int64_t rows : {1, 3})
    for (int64_t keys : {5, 85})
      check(AttentionText{3, rows, keys, 16, 24, true, false, true, "f32", true}.text());
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

/// Bounds are arithmetic with indices; a sink joins the maximum and the sum of a row.
TEST_F(GpuAttention, BoundsAndSink) {
  for (AttentionText bounded : {AttentionText{3, 7, 9, 9, 11}, {1, 53, 61, 3, 70}, {2, 1, 130, 64, 1}}) {
    bounded.bounded = true;
    check(bounded.text());
    bounded.cutAmongRows = bounded.interleaved = bounded.masked = bounded.sunk = true;
    check(bounded.text());
  }
  check(AttentionText{2, 17, 33, 16, 24, true, false, true, "f16", true, /*bounded=*/true, /*sunk=*/true}.text(), 1e-2);
}

/// Loops over keys begin and end at the bounds of a workgroup's rows: within a part of the keys, and within the steps
/// that are loaded together. The first and the last kernel have a variant in which invocations share keys.
TEST_F(GpuAttention, SkipsHiddenKeys) {
  AttentionText window{2, 30, 200, 9, 11}, causal{70, 9, 129, 8, 20}, heads{2, 20, 256, 16, 16, true};
  for (AttentionText *bounded : {&window, &causal, &heads}) {
    bounded->bounded = true;
    bounded->offset = bounded->keys / 2;
  }
  check(window.text());
  causal.causal = true;
  check(causal.text());
  heads.causal = heads.masked = heads.cutAmongRows = heads.sunk = true;
  check(heads.text());
  heads.element = "f16";
  check(heads.text(), 1e-2);
}

/// The first rows see no key, or the last ones; so do all rows of a workgroup.
TEST_F(GpuAttention, RowsWithoutKeys) {
  AttentionText bounded{1, 30, 100, 8, 8};
  bounded.bounded = true;
  for (int64_t offset : {-15, 85, 100000}) {
    bounded.offset = offset;
    check(bounded.text());
  }
  bounded.causal = true;
  bounded.offset = -15;
  check(bounded.text());
}

/// A product with a NaN is a NaN, also if the weight is 0. With one batch there is a variant in which invocations share
/// keys.
TEST_F(GpuAttention, DoesNotMultiplyHiddenValues) {
  for (int64_t batches : {1, 70}) {
    AttentionText causal{batches, 16, 256, 16, 16, /*interleaved=*/true};
    causal.bounded = causal.causal = causal.cutAmongRows = true;
    const int64_t first = 64 * batches * causal.columns; // Keys from 64 on have NaNs.
    for (bool reads : readNans(causal.text(), /*input=*/2, first))
      EXPECT_FALSE(reads);
    causal.offset = 50; // The last row sees key 65.
    for (bool reads : readNans(causal.text(), /*input=*/2, first))
      EXPECT_TRUE(reads);
  }
}

/// Halves by sixteens, as many as the workgroup's shared memory holds. No device of CI has matrices: what they compute
/// is compared by test/bench/agreement.py.
TEST_F(GpuAttention, MatricesWhereSixteensFit) {
  const uint64_t matrices = NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX);
  for (const AttentionText &fits : {AttentionText{3, 197, 197, 64, 64, true, false, true, "f16", true},
                                    AttentionText{6, 20, 33, 16, 48, false, false, false, "f16"}}) {
    const std::vector<GpuKernelCode> variants = variantsOf(fits.text());
    ASSERT_EQ(variants.size(), 2u) << fits.text();
    EXPECT_TRUE(variants[0].needs & matrices);
    EXPECT_NE(variants[0].families, 0u);
    EXPECT_LE(variants[0].sharedBytes, 48 << 10);
    EXPECT_FALSE(variants[1].needs & matrices);
  }
  const AttentionText tooLong{2, 32, 256, 64, 64, true, false, false, "f16", true},
      wide{3, 32, 32, 64, 64, true, false, false, "f32", true}, odd{3, 32, 32, 24, 64, true, false, false, "f16", true};
  for (const AttentionText &fitsNot : {tooLong, wide, odd})
    for (const GpuKernelCode &variant : variantsOf(fitsNot.text()))
      EXPECT_FALSE(variant.needs & matrices) << fitsNot.text();
}

/// A family with more units than workgroups of eight rows gets twice as many workgroups of four rows.
TEST_F(GpuAttention, HalfTheRowsWhereThereIsRoom) {
  const std::vector<GpuKernelCode> few =
      variantsOf(AttentionText{4, 32, 48, 16, 32, true, false, false, "f32", true}.text());
  ASSERT_EQ(few.size(), 2u);
  EXPECT_EQ(few[0].unitExtent, 4);
  EXPECT_EQ(few[0].families, (1u << NACRE_GPU_NVIDIA) | (1u << NACRE_GPU_AMD));
  EXPECT_LE(few[0].sharedBytes, 24 << 10);
  EXPECT_EQ(few[1].unitExtent, 8);
  EXPECT_EQ(few[1].families, 0u);
  EXPECT_EQ(variantsOf(AttentionText{64, 32, 48, 16, 32, true, false, false, "f32", true}.text()).size(), 1u);
}

} // namespace
