// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of rows between rows at computed positions, as text: what is scalar for a row, or a vector of its pixels,
// are positions, indices and whether they are inside. Both engines are tested on it.

#ifndef NACRE_TEST_UNIT_CODEGEN_SAMPLETEXT_H
#define NACRE_TEST_UNIT_CODEGEN_SAMPLETEXT_H

namespace nacre::codegen {

/// Positions from -4 to 4 on an axis of 3: many are outside. COLS is the number of columns.
constexpr char kSample[] = R"(
plan.kernel @kernel indexed (%x: tensor<3xCOLSxf32>, %at: tensor<19xf32>) into (%y: tensor<19xCOLSxf32>) cut 0 : 19 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<19xf32>) outs(%y : tensor<19xCOLSxf32>) {
  ^bb0(%p: f32, %o: f32):
    %four = arith.constant 4.0 : f32
    %none = arith.constant 0.0 : f32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %size = arith.constant 3 : i32
    %place = arith.mulf %p, %four : f32
    %floor = math.floor %place : f32
    %t = arith.subf %place, %floor : f32
    %i = arith.fptosi %floor : f32 to i32
    %j = arith.addi %i, %one : i32
    %i0 = arith.maxsi %i, %zero : i32
    %i1 = arith.minsi %i0, %last : i32
    %j0 = arith.maxsi %j, %zero : i32
    %j1 = arith.minsi %j0, %last : i32
    %low = arith.index_cast %i1 : i32 to index
    %high = arith.index_cast %j1 : i32 to index
    %column = linalg.index 1 : index
    %lowInside = arith.cmpi ult, %i, %size : i32
    %highInside = arith.cmpi ult, %j, %size : i32
    %a = tensor.extract %x[%low, %column] : tensor<3xCOLSxf32>
    %b = tensor.extract %x[%high, %column] : tensor<3xCOLSxf32>
    %a0 = arith.select %lowInside, %a, %none : f32
    %b0 = arith.select %highInside, %b, %none : f32
    %d = arith.subf %b0, %a0 : f32
    %m = arith.mulf %d, %t : f32
    %s = arith.addf %a0, %m : f32
    linalg.yield %s : f32
  } -> tensor<19xCOLSxf32>
  plan.yield %r : tensor<19xCOLSxf32>
})";

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_SAMPLETEXT_H
