// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed point by point: maps, windows, reductions, permutes, gathers, scans, several results.

#include "test/unit/codegen/MaximaTexts.h"
#include "test/unit/codegen/SampleText.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuPoints = GpuDifferential;

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// COLS columns in a storage of ALL, from START on.
constexpr char kBias[] = R"(
plan.kernel @kernel nest (%x: tensor<60xCOLSxf32>, %b: tensor<COLSxf32>) into (%y: tensor<60xALLxf32>) cut 0 : 60 by 1 {
  %zero = arith.constant 0.0 : f32
  %t = tensor.extract_slice %y[0, START] [60, COLS] [1, 1] : tensor<60xALLxf32> to tensor<60xCOLSxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<60xCOLSxf32>, tensor<COLSxf32>) outs(%t : tensor<60xCOLSxf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<60xCOLSxf32>
  %i = tensor.insert_slice %r into %y[0, START] [60, COLS] [1, 1] : tensor<60xCOLSxf32> into tensor<60xALLxf32>
  plan.yield %i : tensor<60xALLxf32>
})";

TEST_F(GpuPoints, BiasIntoASliceOfALargerStorage) {
  checkWith(kBias, {{"COLS", "37"}, {"ALL", "50"}, {"START", "8"}});
  checkWith(kBias, {{"COLS", "36"}, {"ALL", "52"}, {"START", "8"}}); // In vectors.
  checkWith(kBias, {{"COLS", "36"}, {"ALL", "52"}, {"START", "6"}}); // From the middle of a vector on.
  checkWith(kBias, {{"COLS", "1"}, {"ALL", "1"}, {"START", "0"}});
}

/// The contiguous axis is cut, GRAIN by GRAIN.
constexpr char kCutColumns[] = R"(
plan.kernel @kernel nest (%x: tensor<3x64xf32>) into (%y: tensor<3x64xf32>) cut 1 : 64 by GRAIN {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x64xf32>) outs(%y : tensor<3x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<3x64xf32>
  plan.yield %r : tensor<3x64xf32>
})";

TEST_F(GpuPoints, CutsAlongTheContiguousAxis) {
  checkWith(kCutColumns, {{"GRAIN", "1"}});
  checkWith(kCutColumns, {{"GRAIN", "4"}});
  checkWith(kCutColumns, {{"GRAIN", "64"}}); // Not divided.
}

constexpr char kFunction[] = R"(
plan.kernel @kernel nest (%x: tensor<40x8xf32>) into (%y: tensor<40x8xf32>) cut 0 : 40 by 1 {
  %scale = arith.constant SCALE : f32
  %shift = arith.constant SHIFT : f32
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<40x8xf32>) outs(%y : tensor<40x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %scale : f32
    %s = arith.addf %m, %shift : f32
    %f = OPERATION %s : f32
    linalg.yield %f : f32
  } -> tensor<40x8xf32>
  plan.yield %r : tensor<40x8xf32>
})";

TEST_F(GpuPoints, FunctionsOverTheirRange) {
  struct Range {
    const char *operation, *scale, *shift;
  };
  for (const Range &range : std::initializer_list<Range>{
           {"math.exp", "20.0", "0.0"},      {"math.exp2", "20.0", "0.0"},  {"math.expm1", "1.0e-3", "0.0"},
           {"math.expm1", "8.0", "0.0"},     {"math.log", "0.5", "0.6"},    {"math.log", "0.01", "1.0"},
           {"math.log1p", "1.0e-3", "0.0"},  {"math.log2", "50.0", "51.0"}, {"math.log10", "50.0", "51.0"},
           {"math.sin", "3.0", "0.0"},       {"math.sin", "1000.0", "0.0"}, {"math.cos", "50.0", "0.0"},
           {"math.tan", "1.4", "0.0"},       {"math.tanh", "3.0", "0.0"},   {"math.tanh", "200.0", "0.0"},
           {"math.erf", "3.0", "0.0"},       {"math.erfc", "2.0", "0.0"},   {"math.asin", "1.0", "0.0"},
           {"math.acos", "1.0", "0.0"},      {"math.atan", "10.0", "0.0"},  {"math.sinh", "5.0", "0.0"},
           {"math.sinh", "1.0e-3", "0.0"},   {"math.cosh", "5.0", "0.0"},   {"math.asinh", "1.0e-2", "0.0"},
           {"math.asinh", "50.0", "0.0"},    {"math.acosh", "2.0", "3.5"},  {"math.atanh", "0.99", "0.0"},
           {"math.atanh", "1.0e-3", "0.0"},  {"math.sqrt", "2.0", "2.0"},   {"math.rsqrt", "1.0", "1.5"},
           {"math.floor", "9.0", "0.0"},     {"math.ceil", "9.0", "0.0"},   {"math.round", "9.0", "0.0"},
           {"math.roundeven", "9.0", "0.0"}, {"math.trunc", "9.0", "0.0"},  {"math.absf", "9.0", "0.0"}}) {
    SCOPED_TRACE(range.operation);
    checkWith(kFunction, {{"OPERATION", range.operation}, {"SCALE", range.scale}, {"SHIFT", range.shift}}, 3e-6);
  }
}

/// Of both signs, to whole powers: the sign of odd ones is that of what is raised.
constexpr char kPower[] = R"(
plan.kernel @kernel nest (%x: tensor<40x9xf32>, %y: tensor<40x9xf32>) into (%z: tensor<40x9xf32>) cut 0 : 40 by 1 {
  %seven = arith.constant 7.0 : f32
  %four = arith.constant 4.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<40x9xf32>, tensor<40x9xf32>) outs(%z : tensor<40x9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %base = arith.mulf %a, %seven : f32
    %positive = math.absf %b : f32
    %scaled = arith.mulf %positive, %four : f32
    %exponent = math.roundeven %scaled : f32
    %f = OPERATION %base, %exponent : f32
    linalg.yield %f : f32
  } -> tensor<40x9xf32>
  plan.yield %r : tensor<40x9xf32>
})";

TEST_F(GpuPoints, PowersAndSigns) {
  for (const char *operation : {"math.powf", "math.copysign"})
    checkWith(kPower, {{"OPERATION", operation}}, 3e-6);
}

//===----------------------------------------------------------------------===//
// Windows and reductions
//===----------------------------------------------------------------------===//

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

TEST_F(GpuPoints, WindowsThatLeaveTheImage) {
  checkWith(kMaxPool, {{"BATCH", "1"}, {"CHAN", "9"}});
  checkWith(kMaxPool, {{"BATCH", "2"}, {"CHAN", "16"}});
}

TEST_F(GpuPoints, MaximaAndTheirCodes) {
  checkWith(kMaximaAndCodes, {{"CHAN", "9"}});
  checkWith(kMaximaAndCodes, {{"CHAN", "16"}});
}

TEST_F(GpuPoints, StepsThatAreWrittenAsAnImage) {
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

TEST_F(GpuPoints, WindowsOverChannels) { check(kLocalResponse); }

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

TEST_F(GpuPoints, MeansOfRowsAndColumns) {
  checkWith(kMean, {{"INDICES", "d0, d1"}, {"SHAPE", "24x70"}, {"KEPT", "24"}, {"SUMMED", "70"}});
  checkWith(kMean, {{"INDICES", "d1, d0"}, {"SHAPE", "70x24"}, {"KEPT", "24"}, {"SUMMED", "70"}});
  checkWith(kMean, {{"INDICES", "d1, d0"}, {"SHAPE", "7x24"}, {"KEPT", "24"}, {"SUMMED", "7"}});
}

//===----------------------------------------------------------------------===//
// Permutes
//===----------------------------------------------------------------------===//

constexpr char kTranspose[] = R"(
plan.kernel @kernel permute (%x: tensor<ROWSxCOLSxELEM>) into (%y: tensor<COLSxROWSxELEM>) cut 0 : COLS by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<ROWSxCOLSxELEM>) outs(%y : tensor<COLSxROWSxELEM>) {
  ^bb0(%a: ELEM, %o: ELEM):
    linalg.yield %a : ELEM
  } -> tensor<COLSxROWSxELEM>
  plan.yield %r : tensor<COLSxROWSxELEM>
})";

TEST_F(GpuPoints, TransposesOfEveryElementType) {
  for (const char *element : {"i8", "i16", "f16", "bf16", "i32", "f32", "i64", "f64"}) {
    checkWith(kTranspose, {{"ROWS", "37"}, {"COLS", "70"}, {"ELEM", element}});
    checkWith(kTranspose, {{"ROWS", "64"}, {"COLS", "36"}, {"ELEM", element}});
  }
}

constexpr char kImageToPixels[] = R"(
plan.kernel @kernel permute (%x: tensor<1x3x19x23xf32>) into (%y: tensor<1x23x27x3xf32>) cut 1 : 19 by 1 {
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%y : tensor<1x23x27x3xf32>) -> tensor<1x23x27x3xf32>
  %t = tensor.extract_slice %f[0, 2, 2, 0] [1, 19, 23, 3] [1, 1, 1, 1] : tensor<1x23x27x3xf32> to tensor<1x19x23x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x3x19x23xf32>) outs(%t : tensor<1x19x23x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<1x19x23x3xf32>
  %i = tensor.insert_slice %r into %f[0, 2, 2, 0] [1, 19, 23, 3] [1, 1, 1, 1] : tensor<1x19x23x3xf32> into tensor<1x23x27x3xf32>
  plan.yield %i : tensor<1x23x27x3xf32>
})";

TEST_F(GpuPoints, ImagesToPixelsWithHalo) { check(kImageToPixels); }

//===----------------------------------------------------------------------===//
// Indexed and scans
//===----------------------------------------------------------------------===//

constexpr char kGather[] = R"(
plan.kernel @kernel indexed (%w: tensor<5xCOLSxf32>, %i: tensor<19xi64>, %x: tensor<19xCOLSxf32>) into (%y: tensor<19xCOLSxf32>) cut 0 : 19 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i, %x : tensor<19xi64>, tensor<19xCOLSxf32>) outs(%y : tensor<19xCOLSxf32>) {
  ^bb0(%at: i64, %a: f32, %o: f32):
    %zero = arith.constant 0 : i64
    %last = arith.constant 4 : i64
    %low = arith.maxsi %at, %zero : i64
    %clamped = arith.minsi %low, %last : i64
    %row = arith.index_cast %clamped : i64 to index
    %column = linalg.index 1 : index
    %e = tensor.extract %w[%row, %column] : tensor<5xCOLSxf32>
    %s = arith.addf %a, %e : f32
    linalg.yield %s : f32
  } -> tensor<19xCOLSxf32>
  plan.yield %r : tensor<19xCOLSxf32>
})";

TEST_F(GpuPoints, RowsOfATableAndASum) {
  checkWith(kGather, {{"COLS", "27"}});
  checkWith(kGather, {{"COLS", "28"}});
}

TEST_F(GpuPoints, RowsBetweenRowsAtComputedPositions) {
  checkWith(kSample, {{"COLS", "27"}});
  checkWith(kSample, {{"COLS", "28"}});
}

/// Single elements: nothing is contiguous in the source.
constexpr char kGatherElements[] = R"(
plan.kernel @kernel indexed (%w: tensor<7x12xf32>, %i: tensor<12xi32>) into (%y: tensor<7x12xf32>) cut 0 : 7 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<12xi32>) outs(%y : tensor<7x12xf32>) {
  ^bb0(%at: i32, %o: f32):
    %zero = arith.constant 0 : i32
    %clamped = arith.maxsi %at, %zero : i32
    %column = arith.index_cast %clamped : i32 to index
    %row = linalg.index 0 : index
    %e = tensor.extract %w[%row, %column] : tensor<7x12xf32>
    linalg.yield %e : f32
  } -> tensor<7x12xf32>
  plan.yield %r : tensor<7x12xf32>
})";

TEST_F(GpuPoints, ElementsAtComputedIndices) { check(kGatherElements); }

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

TEST_F(GpuPoints, OperandsThatBeginAnywhere) {
  checkAnywhere(with(kBias, {{"COLS", "36"}, {"ALL", "52"}, {"START", "8"}}));
  checkAnywhere(with(kGather, {{"COLS", "28"}}));
  checkAnywhere(kImageToPixels);
  for (const char *element : {"i8", "f16", "f32", "f64"})
    checkAnywhere(with(kTranspose, {{"ROWS", "64"}, {"COLS", "36"}, {"ELEM", element}}));
}

TEST_F(GpuPoints, OperandsInPieces) {
  checkInPieces(with(kBias, {{"COLS", "36"}, {"ALL", "52"}, {"START", "8"}}), 1024);
  checkInPieces(with(kGather, {{"COLS", "28"}}), 512);
  checkInPieces(kImageToPixels, 1024);
  for (const char *element : {"i8", "f16", "f32"})
    checkInPieces(with(kTranspose, {{"ROWS", "64"}, {"COLS", "36"}, {"ELEM", element}}), 1024);
}

TEST_F(GpuPoints, WhereTheLargestIs) { check(kArgMax); }

//===----------------------------------------------------------------------===//
// Several results
//===----------------------------------------------------------------------===//

/// The cell of an LSTM: the new state, and what is computed from it.
constexpr char kTwoResults[] = R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
plan.kernel @kernel nest (%x: tensor<9x20xf32>, %s: tensor<9x20xf32>) into (%c: tensor<9x20xf32>, %h: tensor<9x24xf32>) cut 0 : 9 by 1 {
  %t = tensor.extract_slice %h[0, 4] [9, 20] [1, 1] : tensor<9x24xf32> to tensor<9x20xf32>
  %n = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<9x20xf32>, tensor<9x20xf32>) outs(%c : tensor<9x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<9x20xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n, %x : tensor<9x20xf32>, tensor<9x20xf32>) outs(%t : tensor<9x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %e = math.tanh %a : f32
    %m = arith.addf %e, %b : f32
    linalg.yield %m : f32
  } -> tensor<9x20xf32>
  %i = tensor.insert_slice %r into %h[0, 4] [9, 20] [1, 1] : tensor<9x20xf32> into tensor<9x24xf32>
  plan.yield %n, %i : tensor<9x20xf32>, tensor<9x24xf32>
})";

TEST_F(GpuPoints, AResultAndWhatIsComputedFromIt) { check(kTwoResults); }

} // namespace
