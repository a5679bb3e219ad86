// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of every shape that tiles meet: whole tiles, edges, panels, cuts, halos, epilogues.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

class GpuContraction : public GpuDifferential {};

TEST_F(GpuContraction, MatmulOfWholeTiles) {
  check(MatmulText{64, 64, 64}.text());
  check(MatmulText{128, 256, 96}.text());
}

TEST_F(GpuContraction, MatmulWithEdges) {
  check(MatmulText{37, 44, 20}.text());
  check(MatmulText{130, 68, 36}.text());
}

TEST_F(GpuContraction, SizesThatAreNoMultiplesOfFour) {
  check(MatmulText{13, 19, 7}.text());
  check(MatmulText{67, 70, 33}.text());
  check(MatmulText{1, 1, 1}.text());
}

TEST_F(GpuContraction, WeightsInPanels) {
  check(MatmulText{48, 80, 32, 0, /*panel=*/16}.text());
  check(MatmulText{45, 70, 18, 0, /*panel=*/24}.text());
}

TEST_F(GpuContraction, ColumnsAsTheCut) {
  check(MatmulText{1, 100, 64, 0, /*panel=*/16, 1}.text());
  check(MatmulText{3, 70, 40, 0, 0, 1}.text());
  check(MatmulText{1, 1000, 128, 0, /*panel=*/128, 1}.text());
}

TEST_F(GpuContraction, Batches) {
  check(MatmulText{20, 24, 16, /*batch=*/5}.text());
  check(MatmulText{20, 24, 16, /*batch=*/5, 0, 1}.text());
  check(MatmulText{20, 24, 16, /*batch=*/5, 0, 0, /*transposed=*/true}.text());
}

TEST_F(GpuContraction, TransposedRightOperand) {
  check(MatmulText{40, 36, 20, 0, 0, 0, true}.text());
  check(MatmulText{9, 21, 10, 0, 0, 0, true}.text());
}

TEST_F(GpuContraction, DoublePrecision) {
  check(MatmulText{33, 20, 24, 0, 0, 0, false, false, "f64", {}, "f64"}.text(), 1e-13);
}

TEST_F(GpuContraction, ConvolutionWithHaloAndEpilogue) {
  ConvolutionText convolution{{9, 10}, 8, 20};
  convolution.finished();
  convolution.halo = 1;
  check(convolution.text());
  convolution.finished(/*residual=*/true);
  convolution.panel = 8;
  check(convolution.text());
}

TEST_F(GpuContraction, EverySoManythElementOfAStorage) {
  for (int64_t halo : {0, 1}) {
    ConvolutionText convolution{{9, 10}, 8, 20, {2, 2}};
    convolution.step = 2;
    convolution.halo = halo;
    convolution.finished(/*residual=*/true);
    check(convolution.text());
    convolution.panel = 8;
    convolution.cut = 2;
    check(convolution.text());
  }
  ConvolutionText depthwise{{6, 9}, 20, 20, {2, 2}};
  depthwise.depthwise = true;
  depthwise.step = 2;
  depthwise.halo = 1;
  check(depthwise.text());
}

TEST_F(GpuContraction, FirstLayersOfThreeChannels) {
  ConvolutionText convolution{{13, 11}, 3, 32};
  convolution.finished();
  convolution.stride = 2;
  convolution.panel = 16;
  check(convolution.text());
  convolution.window = {7, 7};
  check(convolution.text());
}

TEST_F(GpuContraction, ConvolutionsOfOnePixelAndOfBatches) {
  ConvolutionText convolution{{14, 14}, 32, 48};
  convolution.finished();
  convolution.window = {1, 1};
  check(convolution.text());
  convolution.batch = 3;
  check(convolution.text());
  convolution.cut = 0;
  check(convolution.text());
}

TEST_F(GpuContraction, OddChannels) {
  ConvolutionText convolution{{6, 7}, 5, 19};
  convolution.finished();
  convolution.halo = 2;
  convolution.finished(/*residual=*/true);
  check(convolution.text());
  convolution.panel = 8;
  check(convolution.text());
}

TEST_F(GpuContraction, FewRowsByAllInvocations) {
  check(MatmulText{1, 1000, 512, 0, /*panel=*/16, 1}.text());
  check(MatmulText{3, 37, 130, 0, 0, 0}.text());
  check(MatmulText{4, 24, 67, /*batch=*/3, 0, 0}.text());
  check(MatmulText{1, 1, 300}.text());
  MatmulText gradient{6, 50, 300};
  gradient.lhsTransposed = true;
  check(gradient.text());
  check(MatmulText{8, 37, 130}.text());
}

TEST_F(GpuContraction, SetsOfInvocationsThatDivideTheReduction) {
  check(MatmulText{50, 44, 256}.text());
  check(MatmulText{33, 70, 150}.text());
  ConvolutionText convolution{{7, 7}, 32, 40};
  convolution.finished();
  convolution.panel = 8;
  convolution.halo = 1;
  check(convolution.text());
}

GpuOptions tried(const char *tile) {
  GpuOptions options;
  options.tile = tile;
  return options;
}

TEST_F(GpuContraction, TilesWhoseLoadsAreNotEven) {
  // 96 invocations load 192 and 128 quads, then 32 and 1152; then 64 load 288 and 576 in lines of six and 24.
  check(MatmulText{100, 70, 50}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=12,depth=16"));
  check(MatmulText{24, 288, 32}.text(), 1e-5, tried("shared:rows=2,quads=3,columns=24,lines=4,depth=16"));
  check(MatmulText{48, 96, 40}.text(), 1e-5, tried("shared:rows=6,quads=3,columns=8,lines=8,depth=24"));
}

TEST_F(GpuContraction, SetsThatAddUpSomeRowsAtATime) {
  // The operands' memory holds the sums of a part of the rows; three sets do not divide five of them.
  check(MatmulText{70, 70, 64}.text(), 1e-5, tried("shared:rows=8,quads=2,columns=8,lines=8,depth=16,parts=4"));
  check(MatmulText{41, 100, 36}.text(), 1e-5, tried("shared:rows=5,quads=3,columns=8,lines=4,depth=24,parts=3"));
  check(MatmulText{40, 30, 70}.text(), 1e-5, tried("shared:rows=1,quads=4,columns=8,lines=4,depth=16,parts=4"));
}

TEST_F(GpuContraction, TwoPartsPerIteration) {
  // Five parts, the last of them not full; four; and one alone.
  check(MatmulText{70, 70, 70}.text(), 1e-5, tried("shared:rows=4,quads=2,columns=8,lines=8,depth=16,unroll=2"));
  check(MatmulText{40, 40, 64}.text(), 1e-5,
        tried("shared:rows=4,quads=1,columns=8,lines=4,depth=16,parts=2,unroll=2"));
  check(MatmulText{40, 40, 16}.text(), 1e-5, tried("shared:rows=2,quads=4,columns=8,lines=4,depth=16,unroll=2"));
}

TEST_F(GpuContraction, PartsThatAreFurtherAhead) {
  // Five parts, the last of them not full; four; fewer than are on their way; and one.
  for (const char *tile : {"shared:rows=4,quads=2,columns=8,lines=8,depth=16,ahead=2",
                           "shared:rows=4,quads=1,columns=8,lines=4,depth=16,parts=2,unroll=2,ahead=3"})
    for (int64_t depth : {70, 64, 32, 16})
      check(MatmulText{70, 40, depth}.text(), 1e-5, tried(tile));
}

TEST_F(GpuContraction, BandsOfTiles) {
  // 5 by 3 tiles, 4 by 2 and 6 by 1: a band that does not divide the rows is made smaller.
  check(MatmulText{150, 90, 20}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16,band=5"));
  check(MatmulText{128, 64, 20}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16,band=3"));
  check(MatmulText{170, 30, 20}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16,band=4"));
}

TEST_F(GpuContraction, LastTilesThatAreMovedBack) {
  // 70 rows by tiles of 32, the shares' ends anywhere: rows that another tile or engine has are not written.
  check(MatmulText{70, 40, 20, /*batch=*/2, 0, 1}.text(), 1e-5,
        tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
  ConvolutionText convolution{{11, 9}, 8, 36};
  convolution.finished();
  convolution.halo = 1;
  convolution.finished(/*residual=*/true);
  check(convolution.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
}

TEST_F(GpuContraction, ATileThatDoesNotHoldTogether) {
  EXPECT_EQ(
      refusal(MatmulText{64, 64, 64}.text(), tried("shared:columns=3,lines=4,depth=16")),
      "cannot be compiled with the tile 'shared:columns=3,lines=4,depth=16': invocations must form groups of 8 by 4");
}

TEST_F(GpuContraction, TilesOf64And128) {
  check(MatmulText{1050, 1030, 20}.text());
  check(MatmulText{2100, 2060, 16}.text());
}

TEST_F(GpuContraction, ChannelsThatAreConvolvedAlone) {
  ConvolutionText convolution{{9, 10}, 20, 20};
  convolution.batch = 2;
  convolution.depthwise = true;
  check(convolution.text());
}

TEST_F(GpuContraction, GroupsOfChannels) {
  ConvolutionText convolution{{5, 6}, 24, 36};
  convolution.groups = 3;
  convolution.panel = 8;
  check(convolution.text());
}

TEST_F(GpuContraction, HalfPrecisionStorages) {
  MatmulText matmul{70, 44, 36};
  matmul.element = "f16";
  check(matmul.text(), /*tolerance=*/1e-3);
}

/// Weights of 16 bits with rows of 32: by one row, and by a tile of them.
TEST_F(GpuContraction, NarrowWeights) {
  for (const char *element : {"f16", "bf16"})
    for (int64_t rows : {1, 40}) {
      MatmulText matmul{rows, 36, 50, 0, /*panel=*/16, /*cut=*/rows == 1};
      matmul.rhsElement = element;
      check(matmul.text());
    }
}

TEST_F(GpuContraction, OperandsThatBeginAnywhere) {
  checkAnywhere(MatmulText{64, 64, 64}.text());
  checkAnywhere(MatmulText{45, 70, 18, 0, /*panel=*/24}.text());
  checkAnywhere(MatmulText{1, 1000, 512, 0, /*panel=*/16, 1}.text());
  checkAnywhere(MatmulText{20, 24, 16, /*batch=*/5, 0, 0, /*transposed=*/true}.text());
  checkAnywhere(MatmulText{33, 20, 24, 0, 0, 0, false, false, "f64", {}, "f64"}.text(), 1e-13);
  ConvolutionText convolution{{9, 10}, 8, 20};
  convolution.finished();
  convolution.halo = 1;
  convolution.finished(/*residual=*/true);
  checkAnywhere(convolution.text());
}

TEST_F(GpuContraction, OperandsInPieces) {
  checkInPieces(MatmulText{64, 64, 64}.text(), 4096);
  checkInPieces(MatmulText{1, 1000, 64, 0, /*panel=*/16, 1}.text(), 64 << 10);
  checkInPieces(MatmulText{33, 20, 24, 0, 0, 0, false, false, "f64", {}, "f64"}.text(), 1024, 1e-13);
  ConvolutionText convolution{{9, 10}, 8, 20};
  convolution.finished();
  convolution.halo = 1;
  convolution.finished(/*residual=*/true);
  convolution.panel = 8;
  checkInPieces(convolution.text(), 2048);
}

} // namespace
