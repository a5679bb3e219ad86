// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s

// A pool's padding is no memory: emitters clip the windows. An average that does not count it divides by the counts.

// CHECK:       plan.weight @weight_0 = dense<{{.*}}4.000000e+00, 6.000000e+00, 4.000000e+00{{.*}}> : tensor<3x3xf32>
// CHECK-LABEL: plan.kernel @pool_0 nest
// CHECK:         tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK:           arith.divf
func.func @average_without_padding(%x: tensor<1x3x3x8xf32> {nn.name = "x"}) -> (tensor<1x3x3x8xf32> {nn.name = "y"}) {
  %0 = nn.pool average %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
                           dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x3x3x8xf32>
  return %0 : tensor<1x3x3x8xf32>
}

// -----

// The average of an empty window is NaN, but not all GPUs divide zero by zero to NaN.

// CHECK:       plan.weight @weight_0 = dense<{{.*}}0.000000e+00, 2.000000e+00, 0.000000e+00{{.*}}> : tensor<3xf32>
// CHECK-LABEL: plan.kernel @pool_0 nest
// CHECK:         arith.divf
// CHECK-DAG:     %[[NAN:[^ ,:()]+]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG:     %[[EMPTY:[^ ,:()]+]] = arith.cmpf oeq
// CHECK:         arith.select %[[EMPTY]], %[[NAN]]
func.func @average_of_nothing(%x: tensor<1x2x8xf32> {nn.name = "x"}) -> (tensor<1x3x8xf32> {nn.name = "y"}) {
  %0 = nn.pool average %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 2, 2>,
                           dilations = array<i64: 1>, overhang = array<i64: 0>} : tensor<1x2x8xf32>
  return %0 : tensor<1x3x8xf32>
}
