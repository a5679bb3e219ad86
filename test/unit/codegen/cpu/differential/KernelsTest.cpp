// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that compute: nests, rows, contractions; see Differential.h.

#include "test/unit/codegen/MaximaTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

#include <regex>

using CpuKernels = nacre::codegen::test::Differential;

namespace {

TEST_F(CpuKernels, BiasIntoASliceOfALargerStorage) {
  check(R"(
plan.kernel @kernel nest (%x: tensor<60x37xf32>, %b: tensor<37xf32>) into (%y: tensor<60x50xf32>) cut 0 : 60 by 1 {
  %zero = arith.constant 0.0 : f32
  %t = tensor.extract_slice %y[0, 8] [60, 37] [1, 1] : tensor<60x50xf32> to tensor<60x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<60x37xf32>, tensor<37xf32>) outs(%t : tensor<60x37xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<60x37xf32>
  %i = tensor.insert_slice %r into %y[0, 8] [60, 37] [1, 1] : tensor<60x37xf32> into tensor<60x50xf32>
  plan.yield %i : tensor<60x50xf32>
})");
}

TEST_F(CpuKernels, WindowsThatLeaveTheImage) {
  check(R"(
plan.kernel @kernel nest (%x: tensor<1x13x12x9xf32>) into (%y: tensor<1x9x8x9xf32>) cut 1 : 7 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %lowest : f32
  } : tensor<1x13x12x9xf32> to tensor<1x15x14x9xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<1x9x8x9xf32>) -> tensor<1x9x8x9xf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [1, 7, 6, 9] [1, 1, 1, 1] : tensor<1x9x8x9xf32> to tensor<1x7x6x9xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%t : tensor<1x7x6x9xf32>) -> tensor<1x7x6x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j)>,
                                        affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %window : tensor<1x15x14x9xf32>, tensor<3x3xf32>) outs(%f : tensor<1x7x6x9xf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x7x6x9xf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [1, 7, 6, 9] [1, 1, 1, 1] : tensor<1x7x6x9xf32> into tensor<1x9x8x9xf32>
  plan.yield %i : tensor<1x9x8x9xf32>
})");
}

TEST_F(CpuKernels, MaximaAndTheirCodes) {
  using nacre::codegen::kMaximaAndCodes;
  for (const char *channels : {"3", "9", "16", "70"})
    checkOnAll(std::regex_replace(kMaximaAndCodes, std::regex("CHAN"), channels));
}

TEST_F(CpuKernels, StepsThatAreWrittenAsAnImage) {
  for (int channels : {1, 9, 16, 70})
    checkOnAll(nacre::codegen::imageOfSteps(5, 4, channels));
}

TEST_F(CpuKernels, CodesOfMaximaAndTheWayBack) {
  check(R"(
#cells = affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>
#places = affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>
plan.kernel @kernel nest (%x: tensor<2x9x7x21xf32>, %m: tensor<2x5x4x21xf32>, %numbers: tensor<3x3xi8>)
    into (%y: tensor<2x5x4x21xi8>) cut 0 : 2 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i8
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %lowest : f32
  } : tensor<2x9x7x21xf32> to tensor<2x11x9x21xf32>
  %f = linalg.fill ins(%none : i8) outs(%y : tensor<2x5x4x21xi8>) -> tensor<2x5x4x21xi8>
  %r = linalg.generic {indexing_maps = [#cells, #places, affine_map<(n, h, w, c, i, j) -> (i, j)>, #places],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %m, %numbers : tensor<2x11x9x21xf32>, tensor<2x5x4x21xf32>, tensor<3x3xi8>) outs(%f : tensor<2x5x4x21xi8>) {
  ^bb0(%a: f32, %b: f32, %number: i8, %o: i8):
    %is = arith.cmpf olt, %b, %a : f32
    %code = arith.select %is, %number, %none : i8
    %least = arith.minui %o, %code : i8
    linalg.yield %least : i8
  } -> tensor<2x5x4x21xi8>
  plan.yield %r : tensor<2x5x4x21xi8>
})");
  check(R"(
#place = affine_map<(n, q, r, c, i) -> (n, q + i, c)>
plan.kernel @kernel nest (%dy: tensor<3x6x21xf32>, %code: tensor<3x6x21xi8>, %table: tensor<2x3xi8>)
    into (%y: tensor<3x8x2x21xf32>) cut 0 : 3 by 1 {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i8
  %p = tensor.pad %dy low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%n: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<3x6x21xf32> to tensor<3x10x21xf32>
  %q = tensor.pad %code low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%n: index, %w: index, %c: index):
    tensor.yield %none : i8
  } : tensor<3x6x21xi8> to tensor<3x10x21xi8>
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<3x8x2x21xf32>) -> tensor<3x8x2x21xf32>
  %r = linalg.generic {indexing_maps = [#place, #place, affine_map<(n, q, r, c, i) -> (r, i)>, affine_map<(n, q, r, c, i) -> (n, q, r, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %q, %table : tensor<3x10x21xf32>, tensor<3x10x21xi8>, tensor<2x3xi8>) outs(%f : tensor<3x8x2x21xf32>) {
  ^bb0(%a: f32, %b: i8, %c: i8, %o: f32):
    %is = arith.cmpi ult, %b, %c : i8
    %part = arith.select %is, %a, %zero : f32
    %sum = arith.addf %o, %part : f32
    linalg.yield %sum : f32
  } -> tensor<3x8x2x21xf32>
  plan.yield %r : tensor<3x8x2x21xf32>
})");
}

TEST_F(CpuKernels, SoftmaxOfRows) {
  const std::string softmax = R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @kernel row (%x: tensor<29xCOLSxf32>) into (%y: tensor<29xCOLSxf32>) cut 0 : 29 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<29xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<29xf32>) -> tensor<29xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<29xCOLSxf32>) outs(%f : tensor<29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<29xf32>
  %ee = tensor.empty() : tensor<29xCOLSxf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<29xCOLSxf32>, tensor<29xf32>) outs(%ee : tensor<29xCOLSxf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %m = math.exp %s : f32
    linalg.yield %m : f32
  } -> tensor<29xCOLSxf32>
  %e2 = tensor.empty() : tensor<29xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<29xf32>) -> tensor<29xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<29xCOLSxf32>) outs(%f2 : tensor<29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<29xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<29xCOLSxf32>, tensor<29xf32>) outs(%y : tensor<29xCOLSxf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<29xCOLSxf32>
  plan.yield %r : tensor<29xCOLSxf32>
})";
  // Short rows, and rows of several vectors, whose sums are made of several chains.
  for (const char *columns : {"37", "173"})
    check(std::regex_replace(softmax, std::regex("COLS"), columns));
}

TEST_F(CpuKernels, ConvolutionWithEpilogueAndHalo) {
  check(R"(
plan.kernel @kernel contraction (%x: tensor<1x11x12x5xf32>, %w: tensor<3x3x5x19xf32>, %b: tensor<19xf32>) into (%y: tensor<1x11x12x19xf32>)
    cut 1 : 9 by 1 {
  %zero = arith.constant 0.0 : f32
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<1x11x12x19xf32>) -> tensor<1x11x12x19xf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [1, 9, 10, 19] [1, 1, 1, 1] : tensor<1x11x12x19xf32> to tensor<1x9x10x19xf32>
  %e = tensor.empty() : tensor<1x9x10x19xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x10x19xf32>) -> tensor<1x9x10x19xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, i) -> (n, h + kh, w + kw, i)>,
                                        affine_map<(n, h, w, o, kh, kw, i) -> (kh, kw, i, o)>,
                                        affine_map<(n, h, w, o, kh, kw, i) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x11x12x5xf32>, tensor<3x3x5x19xf32>) outs(%f : tensor<1x9x10x19xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x9x10x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<1x9x10x19xf32>, tensor<19xf32>) outs(%t : tensor<1x9x10x19xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %s = arith.addf %a, %d : f32
    linalg.yield %s : f32
  } -> tensor<1x9x10x19xf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [1, 9, 10, 19] [1, 1, 1, 1] : tensor<1x9x10x19xf32> into tensor<1x11x12x19xf32>
  plan.yield %i : tensor<1x11x12x19xf32>
})");
}

TEST_F(CpuKernels, BatchedProductWithATransposedOperand) {
  check(R"(
plan.kernel @kernel contraction (%q: tensor<2x21x3x16xf32>, %k: tensor<2x23x3x16xf32>) into (%y: tensor<2x3x21x23xf32>) cut 0 : 2 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<2x3x21x23xf32>) -> tensor<2x3x21x23xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>, affine_map<(b, h, m, n, k) -> (b, n, h, k)>,
                                        affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x21x3x16xf32>, tensor<2x23x3x16xf32>) outs(%f : tensor<2x3x21x23xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3x21x23xf32>
  plan.yield %r : tensor<2x3x21x23xf32>
})");
}

} // namespace
