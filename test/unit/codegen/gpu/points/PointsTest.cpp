// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps from points to points: slices, functions, several results.

#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuPoints = GpuDifferential;

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

TEST_F(GpuPoints, OperandsThatBeginAnywhere) {
  checkAnywhere(with(kBias, {{"COLS", "36"}, {"ALL", "52"}, {"START", "8"}}));
}

TEST_F(GpuPoints, OperandsInPieces) {
  checkInPieces(with(kBias, {{"COLS", "36"}, {"ALL", "52"}, {"START", "8"}}), 1024);
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

/// Bases of both signs, to whole powers: an odd power has the sign of its base.
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

/// The cell of an LSTM: the new state, and the output.
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
