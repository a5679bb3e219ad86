// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows and reductions, point by point: maxima and their codes, sums of channels, means, the index of a maximum.

#include "test/unit/codegen/MaximaTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuWindows = GpuDifferential;

constexpr char kMaxPool[] = R"(
plan.kernel @kernel nest (%x: tensor<BATCHx13x12xCHANxf32>) into (%y: tensor<BATCHx9x8xCHANxf32>) cut 1 : 7 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %lowest : f32
  } : tensor<BATCHx13x12xCHANxf32> to tensor<BATCHx15x14xCHANxf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<BATCHx9x8xCHANxf32>) -> tensor<BATCHx9x8xCHANxf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [BATCH, 7, 6, CHAN] [1, 1, 1, 1] : tensor<BATCHx9x8xCHANxf32> to tensor<BATCHx7x6xCHANxf32>
  %f = linalg.fill ins(%lowest : f32) outs(%t : tensor<BATCHx7x6xCHANxf32>) -> tensor<BATCHx7x6xCHANxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j)>,
                                        affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %window : tensor<BATCHx15x14xCHANxf32>, tensor<3x3xf32>) outs(%f : tensor<BATCHx7x6xCHANxf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<BATCHx7x6xCHANxf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [BATCH, 7, 6, CHAN] [1, 1, 1, 1] : tensor<BATCHx7x6xCHANxf32> into tensor<BATCHx9x8xCHANxf32>
  plan.yield %i : tensor<BATCHx9x8xCHANxf32>
})";

TEST_F(GpuWindows, WindowsThatLeaveTheImage) {
  checkWith(kMaxPool, {{"BATCH", "1"}, {"CHAN", "9"}});
  checkWith(kMaxPool, {{"BATCH", "2"}, {"CHAN", "16"}});
}

TEST_F(GpuWindows, MaximaAndTheirCodes) {
  checkWith(kMaximaAndCodes, {{"CHAN", "9"}});
  checkWith(kMaximaAndCodes, {{"CHAN", "16"}});
}

TEST_F(GpuWindows, StepsThatAreWrittenAsAnImage) {
  check(imageOfSteps(5, 4, 9));
  check(imageOfSteps(5, 4, 16));
  check(imageOfSteps(85, 65, 32)); // An invocation has four elements.
  check(imageOfSteps(85, 65, 9));  // Single ones, too.
}

/// A sum of squares over neighbouring channels, and an epilogue that reads the input again.
constexpr char kLocalResponse[] = R"(
#in = affine_map<(n, h, w, c, k) -> (n, h, w, c + k)>
#out = affine_map<(n, h, w, c, k) -> (n, h, w, c)>
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
plan.kernel @kernel nest (%x: tensor<1x5x6x12xf32>) into (%y: tensor<1x5x6x12xf32>) cut 1 : 5 by 1 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 2] high[0, 0, 0, 2] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x12xf32> to tensor<1x5x6x16xf32>
  %window = tensor.empty() : tensor<5xf32>
  %e = tensor.empty() : tensor<1x5x6x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x6x12xf32>) -> tensor<1x5x6x12xf32>
  %s = linalg.generic {indexing_maps = [#in, affine_map<(n, h, w, c, k) -> (k)>, #out],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %window : tensor<1x5x6x16xf32>, tensor<5xf32>) outs(%f : tensor<1x5x6x12xf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<1x5x6x12xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %x : tensor<1x5x6x12xf32>, tensor<1x5x6x12xf32>) outs(%y : tensor<1x5x6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %one : f32
    %q = arith.divf %b, %t : f32
    linalg.yield %q : f32
  } -> tensor<1x5x6x12xf32>
  plan.yield %r : tensor<1x5x6x12xf32>
})";

TEST_F(GpuWindows, WindowsOverChannels) { check(kLocalResponse); }

/// The mean over rows, or over columns, written through an axis of one.
constexpr char kMean[] = R"(
#in = affine_map<(d0, d1) -> (INDICES)>
#out = affine_map<(d0, d1) -> (d0, 0)>
#same = affine_map<(d0, d1) -> (d0, d1)>
plan.kernel @kernel nest (%x: tensor<SHAPExf32>) into (%y: tensor<KEPTx1xf32>) cut 0 : KEPT by 1 {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<KEPTx1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<KEPTx1xf32>) -> tensor<KEPTx1xf32>
  %w = tensor.empty() : tensor<SUMMEDxf32>
  %s = linalg.generic {indexing_maps = [#in, affine_map<(d0, d1) -> (d1)>, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<SHAPExf32>, tensor<SUMMEDxf32>) outs(%f : tensor<KEPTx1xf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<KEPTx1xf32>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<KEPTx1xf32>) outs(%y : tensor<KEPTx1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %half : f32
    linalg.yield %t : f32
  } -> tensor<KEPTx1xf32>
  plan.yield %r : tensor<KEPTx1xf32>
})";

TEST_F(GpuWindows, MeansOfRowsAndColumns) {
  checkWith(kMean, {{"INDICES", "d0, d1"}, {"SHAPE", "24x70"}, {"KEPT", "24"}, {"SUMMED", "70"}});
  checkWith(kMean, {{"INDICES", "d1, d0"}, {"SHAPE", "70x24"}, {"KEPT", "24"}, {"SUMMED", "70"}});
  checkWith(kMean, {{"INDICES", "d1, d0"}, {"SHAPE", "7x24"}, {"KEPT", "24"}, {"SUMMED", "7"}});
}

constexpr char kArgMax[] = R"(
plan.kernel @kernel scan (%x: tensor<6x17x8xf32>) into (%y: tensor<6x8xi64>) cut 0 : 6 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %e = tensor.empty() : tensor<6x8xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %g = linalg.fill ins(%first : i64) outs(%y : tensor<6x8xi64>) -> tensor<6x8xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b, k) -> (a, k, b)>, affine_map<(a, b, k) -> (a, b)>, affine_map<(a, b, k) -> (a, b)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<6x17x8xf32>) outs(%f, %g : tensor<6x8xf32>, tensor<6x8xi64>) {
  ^bb0(%a: f32, %best: f32, %where: i64):
    %k = linalg.index 2 : index
    %at = arith.index_cast %k : index to i64
    %more = arith.cmpf ogt, %a, %best : f32
    %value = arith.select %more, %a, %best : f32
    %index = arith.select %more, %at, %where : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<6x8xf32>, tensor<6x8xi64>)
  plan.yield %r#1 : tensor<6x8xi64>
})";

TEST_F(GpuWindows, WhereTheLargestIs) { check(kArgMax); }

} // namespace
