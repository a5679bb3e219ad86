// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of bytes in panels of words, by dot products and written out. Sums of integers are exact, so
// all must be equal.

#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/BytesTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

constexpr uint64_t kDots =
    NACRE_GPU_NEED(NACRE_GPU_DOT_SIGNED) | NACRE_GPU_NEED(NACRE_GPU_DOT_UNSIGNED) | NACRE_GPU_NEED(NACRE_GPU_DOT_MIXED);

class GpuBytes : public GpuDifferential {
protected:
  /// Checks `bytes` in panels of words of `k` steps.
  void checkInWords(BytesText bytes, int64_t k) {
    bytes.k = k;
    check(bytes.text());
  }
};

TEST_F(GpuBytes, EverySign) {
  for (bool lhs : {false, true})
    for (bool rhs : {false, true}) {
      BytesText bytes = matmulOfBytes(9, 24, 37, /*panel=*/32);
      bytes.isUnsignedLhs = lhs;
      bytes.isUnsignedRhs = rhs;
      check(bytes.text());
      bytes.hasEpilogue = false;
      check(bytes.text());
    }
}

TEST_F(GpuBytes, DotProductsFirstAndWithoutThemLast) {
  const std::pair<bool, nacre_gpu_bit> signs[] = {{false, NACRE_GPU_DOT_SIGNED}, {true, NACRE_GPU_DOT_MIXED}};
  for (auto [isUnsigned, bit] : signs) {
    BytesText bytes = matmulOfBytes(64, 64, 64, /*panel=*/16);
    bytes.isUnsignedLhs = isUnsigned;
    const std::vector<GpuKernelCode> variants = variantsOf(bytes.text());
    ASSERT_GE(variants.size(), 2u);
    EXPECT_EQ(variants.front().needs & kDots, NACRE_GPU_NEED(bit));
    EXPECT_EQ(variants.back().needs & kDots, 0u);
    EXPECT_EQ(variants.back().flops, 2.0 * 64 * 64 * 64);
  }
}

/// A run whose steps are no multiple of k ends with words that overlap; one shorter than k, with zeros. Words are
/// joined from bytes if they are not aligned.
TEST_F(GpuBytes, EveryDepth) {
  for (int64_t k : {4, 8})
    for (int64_t depth : {1, 3, 4, 5, 8, 12, 17, 30, 64})
      checkInWords(matmulOfBytes(7, depth, 20, /*panel=*/16), k);
}

TEST_F(GpuBytes, SharedTiles) {
  checkInWords(matmulOfBytes(70, 64, 68, /*panel=*/16), 4);
  checkInWords(matmulOfBytes(70, 131, 68, /*panel=*/16), 8);
}

TEST_F(GpuBytes, FewRowsOfLongDepth) {
  for (int64_t k : {4, 8})
    for (int64_t rows : {1, 6})
      checkInWords(matmulOfBytes(rows, 1600, 100, /*panel=*/16), k);
}

TEST_F(GpuBytes, EveryCountOfColumns) {
  for (int64_t columns : {1, 2, 3, 7, 8, 17, 33})
    for (int64_t k : {4, 8})
      checkInWords(matmulOfBytes(5, 8, columns, /*panel=*/16), k);
}

/// Rows of taps and channels lie one after another, so all of them are a run.
TEST_F(GpuBytes, Convolutions) {
  for (int64_t k : {4, 8})
    for (int64_t channels : {3, 4, 12, 16}) {
      BytesText bytes = convolutionOfBytes(channels, /*step=*/channels % 3 == 0 ? 2 : 1, /*panel=*/32);
      bytes.run = channels % k == 0 ? channels : 3 * channels;
      checkInWords(bytes, k);
    }
}

TEST_F(GpuBytes, GroupsAndDilation) {
  for (int64_t k : {4, 8}) {
    BytesText bytes = convolutionOfBytes(5, 1, /*panel=*/16);
    bytes.columns = 11;
    bytes.groups = 3;
    bytes.run = 5;
    checkInWords(bytes, k);
    bytes = convolutionOfBytes(24, 1, /*panel=*/16);
    bytes.dilation = 2;
    bytes.isReversed = true;
    checkInWords(bytes, k);
  }
}

TEST_F(GpuBytes, ColumnsAsTheCut) {
  for (int64_t k : {4, 8}) {
    BytesText bytes = matmulOfBytes(3, 40, 100, /*panel=*/16);
    bytes.cut = 2;
    checkInWords(bytes, k);
  }
}

TEST_F(GpuBytes, OperandsAnywhere) {
  for (int64_t depth : {16, 40})
    checkAnywhere(matmulOfBytes(37, depth, 36, /*panel=*/16).text());
}

TEST_F(GpuBytes, OperandsInPieces) { checkInPieces(matmulOfBytes(2, 256, 1000, /*panel=*/16).text(), 64 << 10); }

/// Without panels, another emitter computes the product.
TEST_F(GpuBytes, WithoutWords) {
  check(matmulOfBytes(9, 24, 37).text());
  BytesText bytes = matmulOfBytes(11, 16, 19);
  bytes.isTransposed = true;
  check(bytes.text());
}

} // namespace
