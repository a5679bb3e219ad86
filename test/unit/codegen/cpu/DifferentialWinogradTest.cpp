// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolutions beside direct ones; see Differential.h.

#include "test/unit/codegen/cpu/Differential.h"

#include "llvm/Support/FormatVariadic.h"

using nacre::codegen::test::Differential;

namespace {

struct Convolution {
  int64_t images, height, width, inputs, outputs;
  int64_t tile;
  int64_t panel = 32;
};

/// A bias, a residual and a clamp follow, and the result has a halo: all that a convolution's epilogue may be.
std::string textOf(const Convolution &c) {
  const int64_t cutAxis = c.images > 1 ? 0 : 1;
  const std::string image = llvm::formatv("{0}x{1}x{2}", c.images, c.height + 2, c.width + 2);
  const std::string x = llvm::formatv("tensor<{0}x{1}xf32>", image, c.inputs);
  const std::string storage = llvm::formatv("tensor<{0}x{1}xf32>", image, c.outputs);
  const std::string y = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", c.images, c.height, c.width, c.outputs);
  const std::string w = llvm::formatv("tensor<3x3x{0}x{1}xf32>", c.inputs, c.outputs);
  const std::string b = llvm::formatv("tensor<{0}xf32>", c.outputs);
  const std::string slice =
      llvm::formatv("[0, 1, 1, 0] [{0}, {1}, {2}, {3}] [1, 1, 1, 1]", c.images, c.height, c.width, c.outputs);
  const std::string all = "affine_map<(n, h, w, o) -> (n, h, w, o)>";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "plan.kernel @kernel contraction (%x: " << x << ", %w: " << w << ", %b: " << b << ", %r: " << y
     << ") into (%y: " << storage << ") cut " << cutAxis << " : " << (cutAxis ? c.height : c.images) << " by "
     << (cutAxis ? c.tile : 1) << " attributes {encodings = [unit, #plan.encoding<winograd, width = " << c.panel
     << " tile = " << c.tile << ">, unit, unit]} {\n"
     << "  %zero = arith.constant 0.0 : f32\n"
     << "  %halo = linalg.fill ins(%zero : f32) outs(%y : " << storage << ") -> " << storage << "\n"
     << "  %t = tensor.extract_slice %halo" << slice << " : " << storage << " to " << y << "\n"
     << "  %e = tensor.empty() : " << y << "\n"
     << "  %f = linalg.fill ins(%zero : f32) outs(%e : " << y << ") -> " << y << "\n"
     << "  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, "
     << "affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], "
     << "iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\", "
     << "\"reduction\"]} ins(%x, %w : " << x << ", " << w << ") outs(%f : " << y << ") {\n"
     << "  ^bb0(%a: f32, %d: f32, %o: f32):\n"
     << "    %m = arith.mulf %a, %d : f32\n"
     << "    %s = arith.addf %o, %m : f32\n"
     << "    linalg.yield %s : f32\n"
     << "  } -> " << y << "\n"
     << "  %g = linalg.generic {indexing_maps = [" << all << ", affine_map<(n, h, w, o) -> (o)>, " << all << ", " << all
     << "], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\"]} ins(%c, %b, %r : " << y << ", "
     << b << ", " << y << ") outs(%t : " << y << ") {\n"
     << "  ^bb0(%a: f32, %d: f32, %q: f32, %o: f32):\n"
     << "    %s = arith.addf %a, %d : f32\n"
     << "    %p = arith.addf %s, %q : f32\n"
     << "    %m = arith.maximumf %p, %zero : f32\n"
     << "    linalg.yield %m : f32\n"
     << "  } -> " << y << "\n"
     << "  %i = tensor.insert_slice %g into %halo" << slice << " : " << y << " into " << storage << "\n"
     << "  plan.yield %i : " << storage << "\n"
     << "}\n";
  return text;
}

TEST_F(Differential, WinogradInWholeTiles) {
  for (int64_t tile : {2, 4})
    check(textOf({1, 8, 12, 16, 32, tile}));
}

/// Tiles reach beyond the image on both sides, and vectors beyond the channels.
TEST_F(Differential, WinogradOfOddSizes) {
  for (int64_t tile : {2, 4})
    for (Convolution odd : {Convolution{1, 9, 11, 5, 7, tile, 16}, {1, 13, 6, 19, 37, tile}, {1, 2, 3, 33, 64, tile}})
      check(textOf(odd));
}

/// The cut is among images, several of which share a unit.
TEST_F(Differential, WinogradOfSeveralImages) {
  for (int64_t tile : {2, 4})
    for (Convolution batch : {Convolution{3, 7, 5, 16, 32, tile}, {5, 24, 23, 8, 48, tile}})
      check(textOf(batch));
}

/// Units are groups of a long row's tiles, and parts of many columns.
TEST_F(Differential, WinogradInManyUnits) {
  for (int64_t tile : {2, 4}) {
    check(textOf({1, 5, 250, 8, 16, tile}));
    check(textOf({1, 6, 6, 24, 300, tile}));
  }
}

} // namespace
