// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages | FileCheck %s

// The gradient of a filter is a product: rows are taps and channels, the depth is all positions. Its input is padded where it
// lies, and what follows is its epilogue.

// CHECK-DAG: [[X:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5 * 2 + d0, d6 + d1 * 3, d2)>
// CHECK-DAG: [[DY:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: [[DW:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK: plan.kernel @filter_gradient_0 contraction
// CHECK: linalg.generic {indexing_maps = {{\[}}[[X]], [[DY]], [[DW]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: arith.addf
func.func @main(%x: tensor<4x8x10x16xf32> {nn.name = "x"}, %dy: tensor<4x4x6x32xf32> {nn.name = "dy"}, %v: tensor<3x3x16x32xf32> {nn.name = "v"})
    -> (tensor<3x3x16x32xf32> {nn.name = "dw"}) {
  %0 = nn.pad constant %x [0, 1, 1, 0] [0, 0, 1, 0] 0.0 : f32 : tensor<4x8x10x16xf32>
  %1 = nn.filter_gradient %0, %dy {kernel = array<i64: 3, 3>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 3>} : tensor<4x9x12x16xf32>, tensor<4x4x6x32xf32>
  %2 = nn.binary add %1, %v : tensor<3x3x16x32xf32>, tensor<3x3x16x32xf32>
  return %2 : tensor<3x3x16x32xf32>
}
