// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels around maxima of windows, as a GPU has them in a training step.

#ifndef NACRE_TEST_UNIT_CODEGEN_MAXIMATEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_MAXIMATEXTS_H

#include <regex>
#include <string>
#include <utility>

namespace nacre::codegen {

/// Maxima of windows of 3x3 that leave the image, with a border around them, and their codes; none where a maximum is
/// not positive.
constexpr char kMaximaAndCodes[] = R"(
#cells = affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>
#window = affine_map<(n, h, w, c, i, j) -> (i, j)>
#places = affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>
#same = affine_map<(n, h, w, c) -> (n, h, w, c)>
plan.kernel @kernel nest (%x: tensor<3x9x7xCHANxf32>, %numbers: tensor<3x3xi8>) into (%y: tensor<3x7x6xCHANxf32>, %z: tensor<3x5x4xCHANxi8>)
    cut 0 : 3 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %lowest : f32
  } : tensor<3x9x7xCHANxf32> to tensor<3x11x9xCHANxf32>
  %q = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %nan : f32
  } : tensor<3x9x7xCHANxf32> to tensor<3x11x9xCHANxf32>
  %size = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<3x5x4xCHANxf32>
  %start = linalg.fill ins(%lowest : f32) outs(%e : tensor<3x5x4xCHANxf32>) -> tensor<3x5x4xCHANxf32>
  %maxima = linalg.generic {indexing_maps = [#cells, #window, #places],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %size : tensor<3x11x9xCHANxf32>, tensor<3x3xf32>) outs(%start : tensor<3x5x4xCHANxf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<3x5x4xCHANxf32>
  %g = tensor.empty() : tensor<3x5x4xCHANxi8>
  %noCodes = linalg.fill ins(%none : i8) outs(%g : tensor<3x5x4xCHANxi8>) -> tensor<3x5x4xCHANxi8>
  %codes = linalg.generic {indexing_maps = [#cells, #places, #window, #places],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%q, %maxima, %numbers : tensor<3x11x9xCHANxf32>, tensor<3x5x4xCHANxf32>, tensor<3x3xi8>) outs(%noCodes : tensor<3x5x4xCHANxi8>) {
  ^bb0(%a: f32, %m: f32, %number: i8, %o: i8):
    %is = arith.cmpf oeq, %a, %m : f32
    %code = arith.select %is, %number, %none : i8
    %least = arith.minui %o, %code : i8
    linalg.yield %least : i8
  } -> tensor<3x5x4xCHANxi8>
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<3x7x6xCHANxf32>) -> tensor<3x7x6xCHANxf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [3, 5, 4, CHAN] [1, 1, 1, 1] : tensor<3x7x6xCHANxf32> to tensor<3x5x4xCHANxf32>
  %r:2 = linalg.generic {indexing_maps = [#same, #same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%maxima, %codes : tensor<3x5x4xCHANxf32>, tensor<3x5x4xCHANxi8>) outs(%t, %z : tensor<3x5x4xCHANxf32>, tensor<3x5x4xCHANxi8>) {
  ^bb0(%m: f32, %c: i8, %o: f32, %k: i8):
    %positive = arith.cmpf ogt, %m, %zero : f32
    %code = arith.select %positive, %c, %none : i8
    linalg.yield %m, %code : f32, i8
  } -> (tensor<3x5x4xCHANxf32>, tensor<3x5x4xCHANxi8>)
  %i = tensor.insert_slice %r#0 into %region[0, 1, 1, 0] [3, 5, 4, CHAN] [1, 1, 1, 1] : tensor<3x5x4xCHANxf32> into tensor<3x7x6xCHANxf32>
  plan.yield %i, %r#1 : tensor<3x7x6xCHANxf32>, tensor<3x5x4xCHANxi8>
})";

/// The way back from windows of 2x2, written as an image with a border. Codes are read as bytes below two.
constexpr char kImageOfSteps[] = R"(
#windows = affine_map<(n, h, r, w, s, c) -> (n, h, w, c)>
plan.kernel @kernel nest (%dy: tensor<3xSTEPSxCHANxf32>, %code: tensor<3xSTEPSxCHANxi8>, %cells: tensor<2x2xi8>)
    into (%y: tensor<3xREGIONxCHANxf32>) cut 0 : 3 by 1 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i8
  %steps = tensor.empty() : tensor<STEPSxf32>
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<3xREGIONxCHANxf32>) -> tensor<3xREGIONxCHANxf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [3, TALL, WIDE, CHAN] [1, 1, 1, 1] : tensor<3xREGIONxCHANxf32> to tensor<3xIMAGExCHANxf32>
  %r = linalg.generic {indexing_maps = [#windows, #windows, affine_map<(n, h, r, w, s, c) -> (r, s)>, affine_map<(n, h, r, w, s, c) -> (h, w)>,
                                        affine_map<(n, h, r, w, s, c) -> (n, h * 2 + r, w * 2 + s, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%dy, %code, %cells, %steps : tensor<3xSTEPSxCHANxf32>, tensor<3xSTEPSxCHANxi8>, tensor<2x2xi8>, tensor<STEPSxf32>)
      outs(%t : tensor<3xIMAGExCHANxf32>) {
  ^bb0(%a: f32, %k: i8, %cell: i8, %unread: f32, %o: f32):
    %low = arith.andi %k, %one : i8
    %lowCell = arith.andi %cell, %one : i8
    %is = arith.cmpi eq, %low, %lowCell : i8
    %v = arith.select %is, %a, %zero : f32
    linalg.yield %v : f32
  } -> tensor<3xIMAGExCHANxf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [3, TALL, WIDE, CHAN] [1, 1, 1, 1] : tensor<3xIMAGExCHANxf32> into tensor<3xREGIONxCHANxf32>
  plan.yield %i : tensor<3xREGIONxCHANxf32>
})";

/// The same for so many steps and channels.
inline std::string imageOfSteps(int height, int width, int channels) {
  std::string text = kImageOfSteps;
  auto size = [](int h, int w) { return std::to_string(h) + "x" + std::to_string(w); };
  for (const auto &[word, value] : {std::pair("STEPS", size(height, width)),
                                    {"IMAGE", size(2 * height, 2 * width)},
                                    {"REGION", size(2 * height + 2, 2 * width + 2)},
                                    {"TALL", std::to_string(2 * height)},
                                    {"WIDE", std::to_string(2 * width)},
                                    {"CHAN", std::to_string(channels)}})
    text = std::regex_replace(text, std::regex(word), value);
  return text;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_MAXIMATEXTS_H
