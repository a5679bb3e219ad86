// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that move elements: permutes, and rows or elements at computed indices.

#include "test/unit/codegen/SampleText.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuMovement = GpuDifferential;

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

TEST_F(GpuMovement, TransposesOfEveryElementType) {
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

TEST_F(GpuMovement, ImagesToPixelsWithHalo) { check(kImageToPixels); }

//===----------------------------------------------------------------------===//
// Computed indices
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

TEST_F(GpuMovement, RowsOfATableAndASum) {
  checkWith(kGather, {{"COLS", "27"}});
  checkWith(kGather, {{"COLS", "28"}});
}

TEST_F(GpuMovement, RowsBetweenRowsAtComputedPositions) {
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

TEST_F(GpuMovement, ElementsAtComputedIndices) { check(kGatherElements); }

TEST_F(GpuMovement, OperandsThatBeginAnywhere) {
  checkAnywhere(with(kGather, {{"COLS", "28"}}));
  checkAnywhere(kImageToPixels);
  for (const char *element : {"i8", "f16", "f32", "f64"})
    checkAnywhere(with(kTranspose, {{"ROWS", "64"}, {"COLS", "36"}, {"ELEM", element}}));
}

TEST_F(GpuMovement, OperandsInPieces) {
  checkInPieces(with(kGather, {{"COLS", "28"}}), 512);
  checkInPieces(kImageToPixels, 1024);
  for (const char *element : {"i8", "f16", "f32"})
    checkInPieces(with(kTranspose, {{"ROWS", "64"}, {"COLS", "36"}, {"ELEM", element}}), 1024);
}

} // namespace
