// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of every shape that tiles meet, with every instruction set; see Differential.h.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

using CpuContraction = test::Differential;

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

/// No tile has more than 14 rows.
TEST_F(CpuContraction, EveryCountOfRows) {
  for (int64_t rows = 1; rows <= 15; ++rows)
    checkOnAll(MatmulText{rows, 35, 9, 0, /*panel=*/32}.text());
}

/// Up to two panels and one column: whole vectors, masks, and pieces of every width.
TEST_F(CpuContraction, EveryCountOfColumns) {
  for (int64_t columns : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 23, 31, 32, 33})
    checkOnAll(MatmulText{5, columns, 6, 0, /*panel=*/16}.text());
}

/// Emitters only need a mask here. But the fallback, which they are compared with, goes along rows here and leaves
/// some to another loop: both must add up in one order. Models have no such sums in the fallback but those of pools
/// with very many regions, of which none is known that LLVM would reorder.
TEST_F(CpuContraction, OneColumn) {
  for (int64_t depth : {2, 4, 6, 8, 13})
    checkOnAll(MatmulText{21, 1, depth, 0, /*panel=*/16}.text());
}

TEST_F(CpuContraction, EveryDepth) {
  for (int64_t depth : {1, 2, 3, 4, 5, 7, 8, 17})
    checkOnAll(MatmulText{7, 20, depth, 0, /*panel=*/16}.text());
}

/// Deeper than the first-level cache, so in parts; and in blocks of sums, whole ones and with a rest.
TEST_F(CpuContraction, LargeDepths) {
  for (int64_t depth : {600, 1024, 1025, 1543, 2500}) {
    checkOnAll(MatmulText{3, 18, depth, 0, /*panel=*/16}.text());
    checkOnAll(MatmulText{29, 33, depth, 0, /*panel=*/32}.text());
  }
}

TEST_F(CpuContraction, OneRowCutByColumns) {
  checkOnAll(MatmulText{1, 100, 64, 0, /*panel=*/16, /*cut=*/1}.text());
  checkOnAll(MatmulText{3, 70, 40, 0, /*panel=*/32, /*cut=*/1}.text());
  checkOnAll(MatmulText{1, 300, 1100, 0, /*panel=*/32, /*cut=*/1}.text());
}

/// No packed weight: each unit packs the panel that it needs.
TEST_F(CpuContraction, TwoOperandsAsTheyLie) {
  checkOnAll(MatmulText{13, 19, 7}.text());
  checkOnAll(MatmulText{67, 70, 33}.text());
  checkOnAll(MatmulText{1, 1, 1}.text());
  checkOnAll(MatmulText{30, 17, 1200}.text());
}

TEST_F(CpuContraction, TransposedOperands) {
  for (bool right : {false, true})
    for (bool left : {false, true})
      checkOnAll(MatmulText{21, 26, 10, 0, 0, 0, right, left}.text());
}

TEST_F(CpuContraction, Batches) {
  for (unsigned cut : {0, 1}) {
    checkOnAll(MatmulText{20, 24, 16, /*batch=*/5, 0, cut}.text());
    checkOnAll(MatmulText{9, 37, 11, /*batch=*/3, 0, cut, /*transposed=*/true}.text());
  }
}

TEST_F(CpuContraction, DoublePrecision) {
  checkOnAll(MatmulText{33, 21, 25, 0, 0, 0, false, false, "f64", {}, "f64"}.text(), 1e-13);
  checkOnAll(MatmulText{33, 21, 25, 0, /*panel=*/16, 0, false, false, "f64", {}, "f64"}.text(), 1e-13);
}

/// Stored as halves, multiplied and added up in f32. SSE4 has no instruction for the conversion.
TEST_F(CpuContraction, Halves) {
  for (const char *element : {"f16", "bf16"}) {
    const double tolerance = element == std::string("f16") ? 1e-3 : 1e-2;
    MatmulText matmul{23, 37, 29};
    matmul.element = element;
    check(matmul.text(), tolerance);
    matmul.panel = 16;
    check(matmul.text(), tolerance);
  }
}

/// Columns that are widened when they are loaded, in pairs of vectors and singly; whole panels, tails, parts of the
/// depth and blocks of sums, and a bias for each column.
TEST_F(CpuContraction, NarrowColumns) {
  auto checkEach = [&](MatmulText matmul) {
    matmul.ending.added = {{1}};
    matmul.rhsElement = "bf16";
    checkOnAll(matmul.text());
    matmul.rhsElement = "f16";
    checkWithHalves(matmul.text());
  };
  for (int64_t columns : {7, 33, 48, 100})
    checkEach({1, columns, 9, 0, /*panel=*/48, /*cut=*/1});
  for (int64_t rows : {2, 14})
    checkEach({rows, 70, 13, 0, /*panel=*/32});
  checkEach({1, 300, 1100, 0, /*panel=*/48, /*cut=*/1});
  checkEach({29, 40, 1543, 0, /*panel=*/32});
  checkEach({6, 26, 10}); // packed when they are read
}

//===----------------------------------------------------------------------===//
// What follows a product
//===----------------------------------------------------------------------===//

/// Operands of the epilogue that have any of the result's axes, or none.
TEST_F(CpuContraction, EpiloguesOfEachBroadcast) {
  for (const std::vector<unsigned> &axes : {std::vector<unsigned>{}, {0}, {1}, {0, 1}}) {
    MatmulText matmul{19, 37, 12, 0, /*panel=*/16};
    matmul.ending.added = {axes};
    matmul.ending.rectified = true;
    checkOnAll(matmul.text());
    matmul.cut = 1;
    checkOnAll(matmul.text());
  }
  for (const std::vector<unsigned> &axes : {std::vector<unsigned>{1}, {2}, {0, 3}, {1, 2, 3}}) {
    ConvolutionText convolution{{5, 6}, 4, 21};
    convolution.panel = 16;
    convolution.added = {axes, {3}};
    checkOnAll(convolution.text());
  }
}

TEST_F(CpuContraction, SlicesOfLargerStorages) {
  MatmulText matmul{14, 18, 10, 0, /*panel=*/16};
  matmul.inset = 2;
  matmul.ending.halo = {1, 3};
  checkOnAll(matmul.text());
  ConvolutionText convolution{{6, 7}, 5, 19};
  convolution.inset = 1;
  convolution.halo = 2;
  checkOnAll(convolution.text());
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// A phase of a transposed convolution: what lies between is of others, and stays; the halo is around all.
TEST_F(CpuContraction, EverySoManythElementOfAStorage) {
  for (auto [step, halo] : {std::pair(2, 0), std::pair(2, 1), std::pair(3, 2)}) {
    ConvolutionText convolution{{9, 7}, 6, 21, {1, 1}};
    convolution.panel = 16;
    convolution.step = step;
    convolution.halo = halo;
    convolution.finished(/*residual=*/true);
    checkOnAll(convolution.text());
    convolution.window = {2, 2};
    convolution.cut = 2;
    check(convolution.text());
  }
  for (const Sizes &image : {Sizes{20}, Sizes{3, 4, 5}}) {
    ConvolutionText convolution{image, 4, 16, Sizes(image.size(), 2)};
    convolution.panel = 16;
    convolution.step = 2;
    convolution.halo = 1;
    checkOnAll(convolution.text());
  }
  ConvolutionText depthwise{{6, 9}, 20, 20, {2, 2}};
  depthwise.depthwise = true;
  depthwise.step = 2;
  depthwise.halo = 1;
  checkOnAll(depthwise.text());
}

TEST_F(CpuContraction, WindowsStridesAndDilations) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t dilation : {1, 2}) {
      ConvolutionText convolution{{7, 9}, 3, 20};
      convolution.stride = stride;
      convolution.dilation = dilation;
      convolution.panel = 16;
      checkOnAll(convolution.finished().text());
      convolution.window = {1, 5};
      checkOnAll(convolution.text());
    }
}

TEST_F(CpuContraction, ConvolutionsOfOnePixelAndOfBatches) {
  for (unsigned cut : {0, 1}) {
    ConvolutionText convolution{{8, 9}, 12, 20};
    convolution.window = {1, 1};
    convolution.batch = 3;
    convolution.panel = 16;
    convolution.cut = cut;
    checkOnAll(convolution.finished(/*residual=*/true).text());
    convolution.window = {3, 3};
    checkOnAll(convolution.text());
  }
}

/// Cut among rows and columns of pixels, and among channels.
TEST_F(CpuContraction, EveryAxisAsTheCut) {
  for (unsigned cut : {1, 2, 3}) {
    ConvolutionText convolution{{10, 11}, 6, 33};
    convolution.cut = cut;
    convolution.panel = 16;
    checkOnAll(convolution.finished().text());
  }
}

/// Cuts that fall only between so many indices.
TEST_F(CpuContraction, Grains) {
  for (int64_t grain : {2, 5}) {
    ConvolutionText convolution{{20, 7}, 6, 18};
    convolution.grain = grain;
    convolution.panel = 16;
    convolution.halo = 1;
    checkOnAll(convolution.finished().text());
  }
}

TEST_F(CpuContraction, ImagesOfOneAndOfThreeDimensions) {
  ConvolutionText line{{23}, 6, 19};
  line.panel = 16;
  line.halo = 1;
  checkOnAll(line.finished().text());
  line.stride = 2;
  checkOnAll(line.text());
  ConvolutionText volume{{4, 5, 6}, 5, 19};
  volume.panel = 16;
  volume.halo = 1;
  checkOnAll(volume.finished().text());
}

TEST_F(CpuContraction, GroupsOfChannels) {
  for (int64_t groups : {2, 3}) {
    ConvolutionText convolution{{5, 6}, 12, 36};
    convolution.groups = groups;
    checkOnAll(convolution.text());
    convolution.panel = 16;
    convolution.halo = 1;
    checkOnAll(convolution.finished(/*residual=*/true).text());
  }
}

/// More channels than one depth is added up of, and more taps: sums of several blocks.
TEST_F(CpuContraction, DeepConvolutions) {
  ConvolutionText convolution{{3, 4}, 260, 18};
  convolution.panel = 16;
  checkOnAll(convolution.finished().text());
  convolution.channels = 1031;
  convolution.window = {1, 2};
  checkOnAll(convolution.text());
}

TEST_F(CpuContraction, DepthwiseConvolutions) {
  for (int64_t channels : {3, 16, 21, 37})
    for (int64_t stride : {1, 2}) {
      ConvolutionText convolution{{7, 6}, channels, channels};
      convolution.depthwise = true;
      convolution.stride = stride;
      convolution.halo = stride - 1;
      checkOnAll(convolution.finished(/*residual=*/stride == 1).text());
    }
}

TEST_F(CpuContraction, DepthwiseWindowsOfEveryKind) {
  auto depthwise = [](Sizes image, Sizes window) {
    ConvolutionText convolution{std::move(image), 18, 18};
    convolution.depthwise = true;
    convolution.window = std::move(window);
    return convolution;
  };
  checkOnAll(depthwise({9, 8}, {1, 7}).text());
  checkOnAll(depthwise({9, 8}, {5, 5}).finished().text());
  checkOnAll(depthwise({30}, {4}).finished().text());
  checkOnAll(depthwise({5, 4, 6}, {2, 3, 3}).finished().text());
  ConvolutionText dilated = depthwise({8, 9}, {3, 3});
  dilated.dilation = 2;
  dilated.cut = 2;
  checkOnAll(dilated.text());
  // Rows of all images are one loop, of which an index of the cut axis is several iterations; then pixels are, too.
  for (const Sizes &window : {Sizes{1, 3}, Sizes{1, 1}}) {
    ConvolutionText images = depthwise({10, 5}, window);
    images.batch = 4;
    images.cut = 0;
    checkOnAll(images.text());
  }
  ConvolutionText channels = depthwise({8, 9}, {3, 3});
  channels.cut = 3;
  checkOnAll(channels.text());
}

} // namespace
