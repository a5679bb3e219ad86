// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of every shape that tiles meet: whole tiles, edges, panels, cuts, halos, epilogues.

#include "test/unit/codegen/gpu/VulkanHarness.h"

#include "llvm/Support/FormatVariadic.h"

using namespace nacre::codegen;

namespace {

class GpuContraction : public GpuDifferential {};

std::string encodingsOf(int64_t panel, const char *after = "") {
  return panel ? llvm::formatv(" attributes {{encodings = [unit, #plan.encoding<panel, width = {0}>{1}]}", panel, after)
                     .str()
               : "";
}

struct Matmul {
  int64_t m, n, k;
  int64_t batch = 0; ///< 0: no batch axis.
  int64_t panel = 0;
  std::string cut = "0";   ///< Axis.
  bool transposed = false; ///< The right operand is (n, k).
  std::string element = "f32";

  std::string text() const {
    const std::string b = batch ? std::to_string(batch) + "x" : "", db = batch ? "b, " : "";
    const std::string x = llvm::formatv("tensor<{0}{1}x{2}x{3}>", b, m, k, element),
                      w = llvm::formatv("tensor<{0}{1}x{2}x{3}>", b, transposed ? n : k, transposed ? k : n, element),
                      y = llvm::formatv("tensor<{0}{1}x{2}x{3}>", b, m, n, element);
    const int64_t sizes[] = {batch ? batch : m, batch ? m : n, n};
    return llvm::formatv(R"(
plan.kernel @kernel contraction (%x: {0}, %w: {1}) into (%y: {2}) cut {3} : {4} by 1{5} {{
  %zero = arith.constant 0.0 : {6}
  %f = linalg.fill ins(%zero : {6}) outs(%y : {2}) -> {2}
  %r = linalg.generic {{indexing_maps = [affine_map<({7}m, n, k) -> ({7}m, k)>, affine_map<({7}m, n, k) -> ({7}{8})>,
                                        affine_map<({7}m, n, k) -> ({7}m, n)>],
                       iterator_types = [{9}"parallel", "parallel", "reduction"]}
      ins(%x, %w : {0}, {1}) outs(%f : {2}) {{
  ^bb0(%a: {6}, %b: {6}, %o: {6}):
    %p = arith.mulf %a, %b : {6}
    %s = arith.addf %o, %p : {6}
    linalg.yield %s : {6}
  } -> {2}
  plan.yield %r : {2}
})",
                         x, w, y, cut, sizes[std::stoi(cut)], encodingsOf(panel), element, db,
                         transposed ? "n, k" : "k, n", batch ? "\"parallel\", " : "");
  }
};

struct Convolution {
  int64_t height, width, channels, filters;
  int64_t kernel = 3, stride = 1, batch = 1;
  int64_t panel = 0, cut = 1, halo = 0;
  bool residual = false;

  /// Bias, then a residual, then a rectifier; the input is already padded.
  std::string text() const {
    const int64_t ih = (height - 1) * stride + kernel, iw = (width - 1) * stride + kernel;
    auto tensor = [](int64_t n, int64_t h, int64_t w, int64_t c) {
      return llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", n, h, w, c).str();
    };
    const std::string x = tensor(batch, ih, iw, channels), w = tensor(kernel, kernel, channels, filters),
                      y = tensor(batch, height, width, filters),
                      all = tensor(batch, height + 2 * halo, width + 2 * halo, filters),
                      b = llvm::formatv("tensor<{0}xf32>", filters);
    const std::string slice =
        llvm::formatv("[0, {0}, {0}, 0] [{1}, {2}, {3}, {4}] [1, 1, 1, 1]", halo, batch, height, width, filters);
    const int64_t sizes[] = {batch, height, width, filters};
    std::string text = llvm::formatv(
        R"(
#same = affine_map<(n, h, w, o) -> (n, h, w, o)>
plan.kernel @kernel contraction (%x: {0}, %w: {1}, %b: {2}{3}) into (%y: {4}) cut {5} : {6} by 1{7} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {8}
  %f = linalg.fill ins(%zero : f32) outs(%e : {8}) -> {8}
)",
        x, w, b, residual ? ", %res: " + y : "", all, cut, sizes[cut],
        encodingsOf(panel, residual ? ", unit, unit" : ", unit"), y);
    if (halo)
      text += llvm::formatv("  %region = linalg.fill ins(%zero : f32) outs(%y : {0}) -> {0}\n"
                            "  %t = tensor.extract_slice %region{1} : {0} to {2}\n",
                            all, slice, y);
    text += llvm::formatv(
        R"(
  %c = linalg.generic {{indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h * {0} + i, w * {0} + j, c)>,
                                        affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>,
                                        affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : {1}, {2}) outs(%f : {3}) {{
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> {3}
  %r = linalg.generic {{indexing_maps = [#same, affine_map<(n, h, w, o) -> (o)>, {4}#same],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b{5} : {3}, {6}{7}) outs({8} : {3}) {{
  ^bb0(%a: f32, %d: f32, {9}%o: f32):
    %s = arith.addf %a, %d : f32
    {10}
    %m = arith.maximumf %q, %zero : f32
    linalg.yield %m : f32
  } -> {3}
)",
        stride, x, w, y, residual ? "#same, " : "", residual ? ", %res" : "", b, residual ? ", " + y : "",
        halo ? "%t" : "%y", residual ? "%g: f32, " : "",
        residual ? "%q = arith.addf %s, %g : f32" : "%q = arith.addf %s, %zero : f32");
    if (halo)
      text += llvm::formatv("  %i = tensor.insert_slice %r into %region{0} : {1} into {2}\n", slice, y, all);
    return text + llvm::formatv("  plan.yield {0} : {1}\n}", halo ? "%i" : "%r", all).str();
  }
};

TEST_F(GpuContraction, MatmulOfWholeTiles) {
  check(Matmul{64, 64, 64}.text());
  check(Matmul{128, 256, 96}.text());
}

TEST_F(GpuContraction, MatmulWithEdges) {
  check(Matmul{37, 44, 20}.text());
  check(Matmul{130, 68, 36}.text());
}

TEST_F(GpuContraction, SizesThatAreNoMultiplesOfFour) {
  check(Matmul{13, 19, 7}.text());
  check(Matmul{67, 70, 33}.text());
  check(Matmul{1, 1, 1}.text());
}

TEST_F(GpuContraction, WeightsInPanels) {
  check(Matmul{48, 80, 32, 0, /*panel=*/16}.text());
  check(Matmul{45, 70, 18, 0, /*panel=*/24}.text());
}

TEST_F(GpuContraction, ColumnsAsTheCut) {
  check(Matmul{1, 100, 64, 0, /*panel=*/16, "1"}.text());
  check(Matmul{3, 70, 40, 0, 0, "1"}.text());
  check(Matmul{1, 1000, 128, 0, /*panel=*/128, "1"}.text());
}

TEST_F(GpuContraction, Batches) {
  check(Matmul{20, 24, 16, /*batch=*/5}.text());
  check(Matmul{20, 24, 16, /*batch=*/5, 0, "1"}.text());
  check(Matmul{20, 24, 16, /*batch=*/5, 0, "0", /*transposed=*/true}.text());
}

TEST_F(GpuContraction, TransposedRightOperand) {
  check(Matmul{40, 36, 20, 0, 0, "0", true}.text());
  check(Matmul{9, 21, 10, 0, 0, "0", true}.text());
}

TEST_F(GpuContraction, DoublePrecision) { check(Matmul{33, 20, 24, 0, 0, "0", false, "f64"}.text(), 1e-13); }

TEST_F(GpuContraction, ConvolutionWithHaloAndEpilogue) {
  Convolution convolution{9, 10, 8, 20};
  convolution.halo = 1;
  check(convolution.text());
  convolution.residual = true;
  convolution.panel = 8;
  check(convolution.text());
}

TEST_F(GpuContraction, FirstLayersOfThreeChannels) {
  Convolution convolution{13, 11, 3, 32};
  convolution.stride = 2;
  convolution.panel = 16;
  check(convolution.text());
  convolution.kernel = 7;
  check(convolution.text());
}

TEST_F(GpuContraction, ConvolutionsOfOnePixelAndOfBatches) {
  Convolution convolution{14, 14, 32, 48};
  convolution.kernel = 1;
  check(convolution.text());
  convolution.batch = 3;
  check(convolution.text());
  convolution.cut = 0;
  check(convolution.text());
}

TEST_F(GpuContraction, OddChannels) {
  Convolution convolution{6, 7, 5, 19};
  convolution.halo = 2;
  convolution.residual = true;
  check(convolution.text());
  convolution.panel = 8;
  check(convolution.text());
}

TEST_F(GpuContraction, FewRowsByAllInvocations) {
  check(Matmul{1, 1000, 512, 0, /*panel=*/16, "1"}.text());
  check(Matmul{3, 37, 130, 0, 0, "0"}.text());
  check(Matmul{4, 24, 67, /*batch=*/3, 0, "0"}.text());
  check(Matmul{1, 1, 300}.text());
}

TEST_F(GpuContraction, SetsOfInvocationsThatDivideTheReduction) {
  check(Matmul{50, 44, 256}.text());
  check(Matmul{33, 70, 150}.text());
  Convolution convolution{7, 7, 32, 40};
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
  check(Matmul{100, 70, 50}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=12,depth=16"));
  check(Matmul{24, 288, 32}.text(), 1e-5, tried("shared:rows=2,quads=3,columns=24,lines=4,depth=16"));
  check(Matmul{48, 96, 40}.text(), 1e-5, tried("shared:rows=6,quads=3,columns=8,lines=8,depth=24"));
}

TEST_F(GpuContraction, SetsThatAddUpSomeRowsAtATime) {
  // The operands' memory holds the sums of a part of the rows; three sets do not divide five of them.
  check(Matmul{70, 70, 64}.text(), 1e-5, tried("shared:rows=8,quads=2,columns=8,lines=8,depth=16,parts=4"));
  check(Matmul{41, 100, 36}.text(), 1e-5, tried("shared:rows=5,quads=3,columns=8,lines=4,depth=24,parts=3"));
  check(Matmul{40, 30, 70}.text(), 1e-5, tried("shared:rows=1,quads=4,columns=8,lines=4,depth=16,parts=4"));
}

TEST_F(GpuContraction, TwoPartsATurn) {
  // Five parts, the last of them not full; four; and one alone.
  check(Matmul{70, 70, 70}.text(), 1e-5, tried("shared:rows=4,quads=2,columns=8,lines=8,depth=16,unroll=2"));
  check(Matmul{40, 40, 64}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=4,depth=16,parts=2,unroll=2"));
  check(Matmul{40, 40, 16}.text(), 1e-5, tried("shared:rows=2,quads=4,columns=8,lines=4,depth=16,unroll=2"));
}

TEST_F(GpuContraction, BandsOfTiles) {
  // 5 by 3 tiles, 4 by 2 and 6 by 1: a band that does not divide the rows is made smaller.
  check(Matmul{150, 90, 20}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16,band=5"));
  check(Matmul{128, 64, 20}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16,band=3"));
  check(Matmul{170, 30, 20}.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16,band=4"));
}

TEST_F(GpuContraction, LastTilesThatAreMovedBack) {
  // 70 rows by tiles of 32, the shares' ends anywhere: rows that another tile or engine has are not written.
  check(Matmul{70, 40, 20, /*batch=*/2, 0, "1"}.text(), 1e-5,
        tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
  Convolution convolution{11, 9, 8, 36};
  convolution.halo = 1;
  convolution.residual = true;
  check(convolution.text(), 1e-5, tried("shared:rows=4,quads=1,columns=8,lines=8,depth=16"));
}

TEST_F(GpuContraction, ATileThatDoesNotHoldTogether) {
  EXPECT_EQ(refusal(Matmul{64, 64, 64}.text(), tried("shared:columns=3,lines=4,depth=16")),
            "cannot be compiled with the tile 'shared:columns=3,lines=4,depth=16': invocations must stand in groups of "
            "8 by 4");
}

TEST_F(GpuContraction, TilesOf64And128) {
  check(Matmul{1050, 1030, 20}.text());
  check(Matmul{2100, 2060, 16}.text());
}

TEST_F(GpuContraction, ChannelsThatAreConvolvedAlone) {
  check(R"(
plan.kernel @kernel contraction (%x: tensor<2x11x12x20xf32>, %w: tensor<3x3x20xf32>) into (%y: tensor<2x9x10x20xf32>) cut 1 : 9 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<2x9x10x20xf32>) -> tensor<2x9x10x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>,
                                        affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x11x12x20xf32>, tensor<3x3x20xf32>) outs(%f : tensor<2x9x10x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x9x10x20xf32>
  plan.yield %r : tensor<2x9x10x20xf32>
})");
}

TEST_F(GpuContraction, GroupsOfChannels) {
  check(R"(
plan.kernel @kernel contraction (%x: tensor<1x7x8x24xf32>, %w: tensor<3x3x8x36xf32>) into (%y: tensor<1x5x6x36xf32>) cut 1 : 5 by 1
    attributes {encodings = [unit, #plan.encoding<panel, width = 8, groups = 3>]} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<3x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x5x6x36xf32>) -> tensor<1x5x6x36xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, i, j, c) -> (n, h + i, w + j, g * 8 + c)>,
                                        affine_map<(n, h, w, g, o, i, j, c) -> (i, j, c, g * 12 + o)>,
                                        affine_map<(n, h, w, g, o, i, j, c) -> (g, o)>,
                                        affine_map<(n, h, w, g, o, i, j, c) -> (n, h, w, g * 12 + o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %shape : tensor<1x7x8x24xf32>, tensor<3x3x8x36xf32>, tensor<3x12xf32>) outs(%f : tensor<1x5x6x36xf32>) {
  ^bb0(%a: f32, %b: f32, %unread: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x5x6x36xf32>
  plan.yield %r : tensor<1x5x6x36xf32>
})");
}

TEST_F(GpuContraction, HalfPrecisionStorages) {
  check(R"(
plan.kernel @kernel contraction (%x: tensor<70x36xf16>, %w: tensor<36x44xf16>) into (%y: tensor<70x44xf16>) cut 0 : 70 by 1 {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x44xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<70x44xf32>) -> tensor<70x44xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<70x36xf16>, tensor<36x44xf16>) outs(%f : tensor<70x44xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<70x44xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<70x44xf32>) outs(%y : tensor<70x44xf16>) {
  ^bb0(%a: f32, %o: f16):
    %c = arith.truncf %a : f32 to f16
    linalg.yield %c : f16
  } -> tensor<70x44xf16>
  plan.yield %t : tensor<70x44xf16>
})",
        /*tolerance=*/1e-3);
}

TEST_F(GpuContraction, OperandsThatBeginAnywhere) {
  checkAnywhere(Matmul{64, 64, 64}.text());
  checkAnywhere(Matmul{45, 70, 18, 0, /*panel=*/24}.text());
  checkAnywhere(Matmul{1, 1000, 512, 0, /*panel=*/16, "1"}.text());
  checkAnywhere(Matmul{20, 24, 16, /*batch=*/5, 0, "0", /*transposed=*/true}.text());
  checkAnywhere(Matmul{33, 20, 24, 0, 0, "0", false, "f64"}.text(), 1e-13);
  Convolution convolution{9, 10, 8, 20};
  convolution.halo = 1;
  convolution.residual = true;
  checkAnywhere(convolution.text());
}

TEST_F(GpuContraction, OperandsInPieces) {
  checkInPieces(Matmul{64, 64, 64}.text(), 4096);
  checkInPieces(Matmul{1, 1000, 64, 0, /*panel=*/16, "1"}.text(), 64 << 10);
  checkInPieces(Matmul{33, 20, 24, 0, 0, "0", false, "f64"}.text(), 1024, 1e-13);
  Convolution convolution{9, 10, 8, 20};
  convolution.halo = 1;
  convolution.residual = true;
  convolution.panel = 8;
  checkInPieces(convolution.text(), 2048);
}

} // namespace
