// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolutions compared with direct ones; see Differential.h.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using CpuWinograd = nacre::codegen::test::Differential;

namespace {

struct Convolution {
  int64_t images, height, width, inputs, outputs;
  int64_t tile;
  int64_t panel = 32;
  int64_t taps = 3;
  int64_t groups = 1;
  std::string element = "f32";
};

/// A bias, a residual and a clamp follow, and the result has a halo: all that a convolution's epilogue may be.
std::string textOf(const Convolution &c) {
  nacre::codegen::ConvolutionText text{{c.height, c.width}, c.inputs, c.outputs};
  text.window = {c.taps, c.taps};
  text.batch = c.images;
  text.panel = c.panel;
  text.groups = c.groups;
  text.element = c.element;
  text.winograd = c.tile;
  text.cut = c.images > 1 ? 0 : 1;
  text.grain = c.images > 1 ? 1 : c.tile;
  text.halo = 1;
  return text.finished(/*residual=*/c.element == "f32").text();
}

TEST_F(CpuWinograd, WinogradInWholeTiles) {
  for (int64_t tile : {2, 4, 6})
    check(textOf({1, 12, 12, 16, 32, tile}));
}

/// Tiles reach beyond the image on both sides, and vectors beyond the channels.
TEST_F(CpuWinograd, WinogradOfOddSizes) {
  for (int64_t tile : {2, 4, 6})
    for (const Convolution &odd :
         {Convolution{1, 9, 11, 5, 7, tile, 16}, {1, 13, 6, 19, 37, tile}, {1, 2, 3, 33, 64, tile}})
      check(textOf(odd));
}

/// The cut is among images, several of which share a unit.
TEST_F(CpuWinograd, WinogradOfSeveralImages) {
  for (int64_t tile : {2, 4})
    for (const Convolution &batch : {Convolution{3, 7, 5, 16, 32, tile}, {5, 24, 23, 8, 48, tile}})
      check(textOf(batch));
}

/// Units are groups of a long row's tiles, and parts of many columns.
TEST_F(CpuWinograd, WinogradInManyUnits) {
  for (int64_t tile : {2, 4}) {
    check(textOf({1, 5, 250, 8, 16, tile}));
    check(textOf({1, 6, 6, 24, 300, tile}));
  }
}

/// The reduction goes block by block, with and without a shorter one at the end; sums wait between them.
TEST_F(CpuWinograd, WinogradInBlocksOfChannels) {
  check(textOf({1, 12, 12, 512, 32, 4}));
  for (int64_t tile : {2, 6})
    check(textOf({1, 9, 14, 307, 80, tile, 16}));
}

/// Tiles of other filters, beyond an image, its channels and its columns.
TEST_F(CpuWinograd, WinogradOfLargerFilters) {
  checkOnAll(textOf({1, 8, 9, 16, 32, 4, 32, /*taps=*/5}));
  check(textOf({2, 7, 5, 131, 40, 4, 16, 5}));
  check(textOf({1, 9, 11, 5, 7, 2, 16, 5}));
  check(textOf({1, 5, 4, 19, 16, 2, 16, 7}));
}

/// Channels of groups are next to each other, and the columns of each group begin with a new panel.
TEST_F(CpuWinograd, WinogradOfGroups) {
  checkOnAll(textOf({1, 9, 10, 24, 46, 4, 32, /*taps=*/3, /*groups=*/2}));
  check(textOf({3, 6, 5, 57, 96, 2, 16, 3, 3}));
  check(textOf({1, 10, 13, 96, 160, 4, 16, 5, 2}));
}

/// Transforms widen halves.
TEST_F(CpuWinograd, WinogradOfHalves) {
  for (int64_t tile : {2, 4, 6}) {
    checkWithHalves(textOf({1, 12, 12, 16, 32, tile, 32, /*taps=*/3, /*groups=*/1, "f16"}), 2e-3);
    checkWithHalves(textOf({1, 13, 6, 19, 37, tile, 16, 3, 1, "f16"}), 2e-3);
  }
  checkWithHalves(textOf({1, 8, 9, 16, 32, 4, 32, 5, 1, "f16"}), 2e-3);
}

/// Panels that are no whole vectors are multiplied directly.
TEST_F(CpuWinograd, WinogradInNarrowPanels) { checkOnAll(textOf({1, 8, 8, 16, 12, 4, 4})); }

struct Gradient {
  int64_t images, height, width, inputs, outputs;
  bool hasEpilogue = false;
  int64_t panel = 0; ///< Columns of the panels of the result and its old value; 0: they are tensors.
};

std::string encodingsText(const Gradient &g) {
  if (g.panel == 0)
    return "";
  const std::string panel = "#plan.encoding<panel, width = " + std::to_string(g.panel) + ">";
  return "encodings = [unit, unit, " + (g.hasEpilogue ? panel + ", " : "") + panel + "], ";
}

/// f'(i, j, c, o) += x(n, h + i, w + j, c) * y'(n, h, w, o). As in an update, the sum includes the old value.
std::string textOf(const Gradient &g) {
  auto tensor = [](std::initializer_list<int64_t> sizes) {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + "f32>";
  };
  const std::string x = tensor({g.images, g.height + 2, g.width + 2, g.inputs}),
                    y = tensor({g.images, g.height, g.width, g.outputs}), f = tensor({3, 3, g.inputs, g.outputs});
  std::string text = "plan.kernel @kernel contraction (%x: " + x + ", %y: " + y + (g.hasEpilogue ? ", %w: " + f : "") +
                     ") into (%f: " + f + ") cut 0 : 3 by 3 attributes {" + encodingsText(g) +
                     "plan.winograd = {cycles = 1 : i64, direct_cycles = 2 : i64, tile = 4 : i64}} {\n"
                     "%zero = arith.constant 0.0 : f32\n";
  const std::string sums = g.hasEpilogue ? "%e" : "%f";
  if (g.hasEpilogue)
    text += "%e = tensor.empty() : " + f + "\n";
  text += "%init = linalg.fill ins(%zero : f32) outs(" + sums + " : " + f + ") -> " + f +
          "\n%r = linalg.generic {indexing_maps = [affine_map<(i, j, c, o, n, h, w) -> (n, h + i, w + j, c)>, "
          "affine_map<(i, j, c, o, n, h, w) -> (n, h, w, o)>, affine_map<(i, j, c, o, n, h, w) -> (i, j, c, o)>], "
          "iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\", "
          "\"reduction\"]} ins(%x, %y : " +
          x + ", " + y + ") outs(%init : " + f +
          ") {\n^bb0(%a: f32, %b: f32, %s: f32):\n%m = arith.mulf %a, %b : f32\n%t = arith.addf %s, %m : f32\n"
          "linalg.yield %t : f32\n} -> " +
          f + "\n";
  if (g.hasEpilogue)
    text +=
        "%u = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> "
        "(a, b, c, "
        "d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\", "
        "\"parallel\"]} ins(%r, %w : " +
        f + ", " + f + ") outs(%f : " + f +
        ") {\n^bb0(%a: f32, %b: f32, %s: f32):\n%m = arith.addf %a, %b : f32\nlinalg.yield %m : f32\n} -> " + f + "\n";
  return text + "plan.yield " + (g.hasEpilogue ? "%u" : "%r") + " : " + f + "\n}";
}

TEST_F(CpuWinograd, GradientsOfFiltersByWinograd) {
  checkOnAll(textOf(Gradient{3, 8, 8, 32, 64}));
  check(textOf(Gradient{2, 8, 12, 64, 128, /*hasEpilogue=*/true}));
}

/// A block of columns begins in a panel of the result, or ends in one; of panels that are no whole vectors the gradient
/// is direct.
TEST_F(CpuWinograd, GradientsOfFiltersInPanels) {
  checkOnAll(textOf(Gradient{3, 8, 8, 32, 64, /*hasEpilogue=*/true, /*panel=*/32}));
  checkOnAll(textOf(Gradient{3, 8, 8, 32, 64, /*hasEpilogue=*/true, /*panel=*/48}));
  check(textOf(Gradient{3, 8, 8, 32, 64, /*hasEpilogue=*/false, /*panel=*/64}));
  check(textOf(Gradient{3, 8, 8, 32, 64, /*hasEpilogue=*/true, /*panel=*/8}), 1e-4);
}

/// Tiles reach beyond the image, and the last iteration has fewer of them.
TEST_F(CpuWinograd, GradientsOfFiltersOfOddImages) {
  checkOnAll(textOf(Gradient{5, 7, 9, 32, 32}));
  check(textOf(Gradient{1, 14, 14, 16, 48}));
  check(textOf(Gradient{67, 3, 2, 16, 16}));
}

} // namespace
