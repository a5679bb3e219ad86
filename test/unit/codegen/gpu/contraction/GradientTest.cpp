// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose left operand is read transposed, as gradients of weights are: rows lie one after another, and tiles
// through shared memory load four of them at once.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/UpdateTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

class GpuGradient : public GpuDifferential {};

MatmulText transposedLeft(int64_t m, int64_t n, int64_t k, int64_t batch = 0, unsigned cut = 0) {
  MatmulText matmul{m, n, k, batch, /*panel=*/0, cut};
  matmul.lhsTransposed = true;
  return matmul;
}

/// The gradient of a 3x3 filter in `parts` of two images each.
ProductText filterGradient(int64_t parts, int64_t size, int64_t channels, int64_t columns) {
  ProductText p;
  p.loops = {"p", "a", "b", "c", "o", "n", "h", "w"};
  p.parallel = 5;
  p.result = {parts, 3, 3, channels, columns};
  p.resultMap = "p, a, b, c, o";
  p.lhs = {2 * parts, size + 2, size + 2, channels};
  p.lhsMap = "p * 2 + n, a + h, b + w, c";
  p.rhs = {2 * parts, size, size, columns};
  p.rhsMap = "p * 2 + n, h, w, o";
  p.shape = {2};
  p.shapeMap = "n";
  return p;
}

GpuOptions tried(const char *tile, nacre::GpuPrecision precision = nacre::GpuPrecision::F32) {
  GpuOptions options;
  options.tile = tile;
  options.precision = precision;
  return options;
}

constexpr const char *kBlock = "winograd-gradient:outputs=2,rows=8,quads=4,columns=4,lines=4,depth=8";

TEST_F(GpuGradient, FiltersByWinograd) {
  check(filterGradient(/*parts=*/3, /*size=*/4, /*channels=*/64, /*columns=*/64).text(), 2e-5, tried(kBlock));
  check(filterGradient(/*parts=*/2, /*size=*/8, /*channels=*/32, /*columns=*/72).text(), 2e-5, tried(kBlock));
  check(filterGradient(/*parts=*/2, /*size=*/4, /*channels=*/32, /*columns=*/6).text(), 2e-5, tried(kBlock));
}

/// Odd images, images that fill no part, channels that fill no block, and one column, of which pixels lie side by side.
TEST_F(GpuGradient, FiltersThatNoBlockDivides) {
  EXPECT_EQ(variantsOf(filterGradient(2, 4, 32, 64).text(), tried(kBlock)).front().workgroupSize, 256u);
  for (const ProductText &other : {filterGradient(2, 5, 32, 64), filterGradient(2, 2, 32, 64),
                                   filterGradient(2, 4, 16, 64), filterGradient(2, 4, 32, 1)})
    EXPECT_NE(variantsOf(other.text(), tried(kBlock)).front().workgroupSize, 256u);
}

TEST_F(GpuGradient, RowsByWholeTilesAndWithEdges) {
  check(transposedLeft(64, 64, 64).text());
  check(transposedLeft(132, 70, 36).text());
  check(transposedLeft(128, 256, 256).text());
}

TEST_F(GpuGradient, RowsThatAreNoMultipleOfFour) { check(transposedLeft(37, 44, 40).text()); }

TEST_F(GpuGradient, FewerRowsThanATileHas) { check(transposedLeft(20, 48, 130).text()); }

TEST_F(GpuGradient, Batches) {
  check(transposedLeft(40, 36, 30, /*batch=*/3).text());
  check(transposedLeft(40, 36, 30, /*batch=*/3, /*cut=*/1).text());
}

TEST_F(GpuGradient, FewerLinesThanInvocations) {
  // 64 invocations load 8 groups of rows by 4 chunks, and 10 by 6 in the second.
  check(transposedLeft(70, 40, 50).text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
  check(transposedLeft(80, 40, 50).text(), 1e-5, tried("shared:rows=5,quads=1,columns=8,lines=8,depth=24"));
  check(transposedLeft(100, 96, 70).text(), 1e-5,
        tried("shared:rows=6,quads=2,columns=8,lines=16,depth=16,parts=2,unroll=2"));
  check(transposedLeft(260, 130, 33).text(), 1e-5, tried("shared:rows=8,quads=4,columns=8,lines=16,depth=8,unroll=2"));
}

TEST_F(GpuGradient, PartsOfAFiltersGradient) {
  check(filterGradient(3, 6, 8, 32).text());
  check(filterGradient(4, 5, 3, 20).text());
  for (const char *tile : {"shared:rows=6,quads=2,columns=8,lines=16,depth=16,parts=2,unroll=2",
                           "shared:rows=4,quads=1,columns=8,lines=8,depth=64,parts=4"})
    check(filterGradient(2, 8, 16, 64).text(), 1e-5, tried(tile));
}

TEST_F(GpuGradient, RightOperandsReadTransposed) {
  for (int64_t depth : {64, 72, 150})
    for (const char *tile : {"shared:rows=6,quads=2,columns=8,lines=16,depth=16,parts=2,unroll=2",
                             "shared:rows=4,quads=1,columns=8,lines=8,depth=64,parts=4"})
      check(MatmulText{100, 70, depth, 0, 0, 0, /*transposed=*/true}.text(), 1e-5, tried(tile));
  // Two, four and five vectors of steps for each column, by fewer invocations than there are; and tiles of short
  // products.
  for (const char *tile :
       {"shared:rows=4,quads=2,columns=8,lines=8,depth=8", "shared:rows=4,quads=2,columns=8,lines=16,depth=16",
        "shared:rows=4,quads=2,columns=8,lines=16,depth=20",
        "shared:rows=8,quads=2,columns=8,lines=8,depth=32,parts=4,ahead=2"})
    check(MatmulText{100, 72, 160, 0, 0, 0, /*transposed=*/true}.text(), 1e-5, tried(tile));
  check(MatmulText{40, 36, 32, /*batch=*/2, 0, 1, /*transposed=*/true, /*lhsTransposed=*/true}.text(), 1e-5,
        tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
  check(MatmulText{64, 50, 64, 0, 0, /*cut=*/1, /*transposed=*/true}.text(), 1e-5,
        tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
}

/// The weight and its momentum are two results; tiles that are moved back write neither again.
TEST_F(GpuGradient, UpdatesOfWeights) {
  check(textOf(dense(64, 32, 40, 0, false)));
  check(textOf(dense(512, 10, 128, 0, false)));
  for (const char *tile :
       {"shared:rows=4,quads=1,columns=8,lines=8,depth=16", "shared:rows=4,quads=2,columns=8,lines=4,depth=16,parts=2"})
    for (int64_t rows : {20, 70, 100})
      check(textOf(dense(rows, 44, 50, 0, false)), 1e-5, tried(tile));
}

TEST_F(GpuGradient, Halves) {
  MatmulText matmul = transposedLeft(96, 64, 128);
  matmul.element = "f16";
  check(matmul.text(), 1e-3);
  check(matmul.text(), 1e-3,
        tried("cooperative:rows=3,quads=4,columns=1,lines=2,depth=128,parts=2,buffers=1", nacre::GpuPrecision::F16));
  matmul.transposed = true;
  check(matmul.text(), 1e-3,
        tried("cooperative:rows=3,quads=4,columns=1,lines=2,depth=128,parts=2,buffers=1", nacre::GpuPrecision::F16));
  check(transposedLeft(96, 64, 128).text(), 1e-2,
        tried("cooperative:rows=3,quads=4,columns=1,lines=2,depth=128,parts=2,buffers=1", nacre::GpuPrecision::F16));
}

/// Matrices are loaded by columns of operands that lie in shared memory as in memory; edges, and a last part that is
/// not full.
TEST_F(GpuGradient, HalvesReadTransposed) {
  for (const char *tile : {"cooperative:rows=3,quads=4,columns=1,lines=2,depth=128,parts=2,buffers=1",
                           "cooperative:rows=2,quads=2,columns=4,lines=2,depth=64,buffers=1",
                           "cooperative:rows=1,quads=2,columns=1,lines=1,depth=256,parts=8,buffers=1",
                           "cooperative:rows=4,quads=4,columns=4,lines=2,depth=16,buffers=2,ahead=3,band=8"}) {
    for (int64_t depth : {128, 200})
      for (bool transposed : {false, true}) {
        MatmulText matmul = transposedLeft(104, 72, depth);
        matmul.element = "f16";
        matmul.transposed = transposed;
        check(matmul.text(), 2e-3, tried(tile, nacre::GpuPrecision::F16));
        matmul.lhsTransposed = false;
        check(matmul.text(), 2e-3, tried(tile, nacre::GpuPrecision::F16));
      }
    ProductText gradient = filterGradient(2, 8, 16, 64);
    gradient.element = "f16";
    check(gradient.text(), 2e-3, tried(tile, nacre::GpuPrecision::F16));
  }
}

} // namespace
