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

TEST_F(GpuBytes, DotProductsAfterMatricesAndWithoutThemLast) {
  const std::pair<bool, nacre_gpu_bit> signs[] = {{false, NACRE_GPU_DOT_SIGNED}, {true, NACRE_GPU_DOT_MIXED}};
  for (auto [isUnsigned, bit] : signs) {
    BytesText bytes = matmulOfBytes(64, 64, 64, /*panel=*/16);
    bytes.isUnsignedLhs = isUnsigned;
    const std::vector<GpuKernelCode> variants = variantsOf(bytes.text());
    ASSERT_GE(variants.size(), 3u);
    EXPECT_EQ(variants[1].needs & kDots, NACRE_GPU_NEED(bit));
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

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// Tiles with one buffer, with two, and with two sets of subgroups. They are small, because emulated GPUs take long to
// compile the dot products.
constexpr const char *kMatrixTiles[] = {
    "cooperative:rows=2,quads=1,columns=2,lines=1,depth=32,buffers=1",
    "cooperative:rows=1,quads=2,columns=1,lines=2,depth=16,buffers=2,ahead=3",
    "cooperative:rows=1,quads=1,columns=1,lines=1,depth=64,parts=2,buffers=1",
};

TEST_F(GpuBytes, MatricesFirstWhereTheDeviceMultipliesBytes) {
  for (bool isUnsigned : {false, true}) {
    BytesText bytes = matmulOfBytes(64, 64, 64, /*panel=*/16);
    bytes.isUnsignedLhs = isUnsigned;
    const std::vector<GpuKernelCode> variants = variantsOf(bytes.text());
    const uint64_t matrices = NACRE_GPU_NEED(NACRE_GPU_BYTE_MATRIX);
    EXPECT_EQ(variants.front().needs & (matrices | NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX)), matrices);
    EXPECT_EQ(variants.front().families, 1u << NACRE_GPU_NVIDIA);
    EXPECT_EQ(variants.front().flops, 2.0 * 64 * 64 * 64);
    bytes.isUnsignedRhs = true;
    for (const GpuKernelCode &variant : variantsOf(bytes.text()))
      EXPECT_FALSE(variant.needs & matrices);
  }
}

TEST_F(GpuBytes, MatricesOfEveryTile) {
  for (const char *tile : kMatrixTiles)
    for (bool isUnsigned : {false, true}) {
      BytesText bytes = matmulOfBytes(35, 128, 36, /*panel=*/16);
      bytes.isUnsignedLhs = isUnsigned;
      checkPlayed(bytes.text(), tile);
    }
}

/// Steps beyond the last one, whole chunks or not, and words that are joined from bytes.
TEST_F(GpuBytes, MatricesOfEveryDepth) {
  for (const char *tile : kMatrixTiles)
    for (int64_t k : {4, 8})
      for (int64_t depth : {3, 30, 80}) {
        BytesText bytes = matmulOfBytes(33, depth, 36, /*panel=*/16);
        bytes.k = k;
        checkPlayed(bytes.text(), tile);
      }
}

TEST_F(GpuBytes, MatricesOfConvolutions) {
  for (int64_t channels : {3, 16, 20}) {
    BytesText bytes = convolutionOfBytes(channels, /*step=*/1, /*panel=*/32);
    bytes.run = channels % 4 == 0 ? channels : 3 * channels;
    bytes.hasEpilogue = channels == 16;
    checkPlayed(bytes.text(), kMatrixTiles[channels == 20]);
  }
}

TEST_F(GpuBytes, MatricesOfDividedColumns) {
  BytesText bytes = matmulOfBytes(20, 64, 100, /*panel=*/16);
  bytes.cut = 2;
  checkPlayed(bytes.text(), kMatrixTiles[0]);
}

/// Without panels, another emitter computes the product.
TEST_F(GpuBytes, WithoutWords) {
  check(matmulOfBytes(9, 24, 37).text());
  BytesText bytes = matmulOfBytes(11, 16, 19);
  bytes.isTransposed = true;
  check(bytes.text());
}

} // namespace
