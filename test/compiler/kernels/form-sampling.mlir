// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s

// Between two elements along two axes: four reads, three products, whatever rule the tables come from. Weights that do not
// make one are products of their own.

// CHECK:       plan.weight @weight_0 = dense<{{.}}[0, 0, 1], [1, 1, 1]]> : tensor<2x3xi32>
// CHECK:       plan.weight @weight_1 = dense<[0.000000e+00, 5.000000e-01, 2.500000e-01]> : tensor<3xf32>
// CHECK-LABEL: plan.kernel @resample_0 indexed
// CHECK-COUNT-4: tensor.extract
// CHECK-NOT:     tensor.extract
// CHECK-LABEL: plan.kernel @resample_1 indexed
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT:     arith.subf
// CHECK-LABEL: plan.kernel @resample_2 indexed
// CHECK:         arith.mulf
func.func @interpolated(%x: tensor<2x2x8xf32> {nn.name = "x"})
    -> (tensor<3x3x8xf32> {nn.name = "y"}, tensor<1x2x8xf32> {nn.name = "z"}, tensor<1x2x8xf32> {nn.name = "single"}) {
  %0 = nn.resample %x {axes = array<i64: 0, 1>,
      indices = [dense<[[0, 1], [0, 1], [1, 1]]> : tensor<3x2xi32>, dense<[[0, 1], [0, 1], [1, 1]]> : tensor<3x2xi32>],
      weights = [dense<[[1.0, 0.0], [0.5, 0.5], [0.75, 0.25]]> : tensor<3x2xf32>,
                 dense<[[1.0, 0.0], [0.5, 0.5], [0.75, 0.25]]> : tensor<3x2xf32>]} : tensor<2x2x8xf32>
  %1 = nn.resample %x {axes = array<i64: 0>, indices = [dense<[[0, 1]]> : tensor<1x2xi32>],
      weights = [dense<[[0.5, 0.25]]> : tensor<1x2xf32>]} : tensor<2x2x8xf32>
  %2 = nn.resample %x {axes = array<i64: 0>, indices = [dense<1> : tensor<1x1xi32>],
      weights = [dense<0.5> : tensor<1x1xf32>]} : tensor<2x2x8xf32>
  return %0, %1, %2 : tensor<3x3x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
}

// -----

// Positions are bounded before they are integers, and indices before they read; what is outside counts 0.

// CHECK-LABEL: plan.kernel @sample_0 indexed
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf olt
// CHECK:         math.floor
// CHECK:         arith.fptosi
// CHECK:         arith.cmpi ult
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK-COUNT-4: tensor.extract
// CHECK-NOT:     tensor.extract
func.func @sampled(%x: tensor<1x5x6x8xf32> {nn.name = "x"}, %at: tensor<1x3x2xf32> {nn.name = "at"})
    -> (tensor<1x3x8xf32> {nn.name = "y"}) {
  %0 = nn.sample linear zeros %x, %at : tensor<1x5x6x8xf32>, tensor<1x3x2xf32>
  return %0 : tensor<1x3x8xf32>
}
