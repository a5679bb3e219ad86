// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-expose-movement --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: nacre-opt %s --nacre-expose-movement --nacre-form-kernels --split-input-file | FileCheck %s --check-prefix=APART

// Both halves are one kernel, and what is between is in no storage: a bias and a bound follow the first, a bias and a residual the second.

// CHECK-LABEL: plan.entry @both_halves
// CHECK-COUNT-1: plan.launch @separable_0
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.kernel @separable_0 separable
// CHECK-SAME:    into ([[Y:%[^ :]+]]: tensor<1x6x6x8xf32>) cut 1 : 6 by 1
// CHECK:         [[D:%[^ ]+]] = linalg.generic {{.*}}(d0, d1 + d4, d2 + d5, d3){{.*}} "reduction", "reduction"]
// CHECK:         [[BETWEEN:%[^ ]+]] = tensor.empty() : tensor<1x6x6x4xf32>
// CHECK:         [[M:%[^ ]+]] = linalg.generic {{.*}} ins([[D]], %{{.*}} : tensor<1x6x6x4xf32>, tensor<4xf32>) outs([[BETWEEN]]
// CHECK:           arith.addf
// CHECK:           arith.maximumf
// CHECK:         [[P:%[^ ]+]] = linalg.generic {{.*}} "reduction"]} ins([[M]],
// CHECK:         linalg.generic {{.*}} ins([[P]], %{{.*}}, %{{.*}} : tensor<1x6x6x8xf32>, tensor<8xf32>, tensor<1x6x6x8xf32>) outs([[Y]]
// APART-LABEL: plan.entry @both_halves
// APART-COUNT-2: plan.launch @conv
func.func @both_halves(%x: tensor<1x6x6x4xf32> {nn.name = "x"}, %r: tensor<1x6x6x8xf32> {nn.name = "r"}) -> (tensor<1x6x6x8xf32> {nn.name = "y"}) {
  %f = nn.constant dense<0.5> : tensor<3x3x1x4xf32>
  %w = nn.constant dense<0.25> : tensor<1x1x4x8xf32>
  %g = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 4} : tensor<1x6x6x4xf32>, tensor<3x3x1x4xf32>
  %1 = nn.binary add %0, %g : tensor<1x6x6x4xf32>, tensor<4xf32>
  %2 = nn.unary relu %1 : tensor<1x6x6x4xf32>
  %3 = nn.conv %2, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<1x6x6x4xf32>, tensor<1x1x4x8xf32>
  %4 = nn.binary add %3, %b : tensor<1x6x6x8xf32>, tensor<8xf32>
  %5 = nn.binary add %4, %r : tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>
  return %5 : tensor<1x6x6x8xf32>
}

// -----

// Halves are rounded where they would be stored.

// CHECK-LABEL: plan.kernel @separable_0 separable
// CHECK:         linalg.generic
// CHECK:         [[M:%[^ ]+]] = linalg.generic
// CHECK:           arith.truncf
// CHECK:         linalg.generic {{.*}} ins([[M]], %{{.*}} : tensor<1x4x4x4xf16>, tensor<1x1x4x8xf16>)
func.func @halves(%x: tensor<1x6x6x4xf16> {nn.name = "x"}) -> (tensor<1x4x4x8xf16> {nn.name = "y"}) {
  %f = nn.constant dense<0.5> : tensor<3x3x1x4xf16>
  %w = nn.constant dense<0.25> : tensor<1x1x4x8xf16>
  %0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4} : tensor<1x6x6x4xf16>, tensor<3x3x1x4xf16>
  %1 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<1x4x4x4xf16>, tensor<1x1x4x8xf16>
  return %1 : tensor<1x4x4x8xf16>
}

// -----

// A product that leaves pixels out computes no first half for them; its kernel stays its own.

// CHECK-LABEL: plan.entry @strided_product
// CHECK-COUNT-2: plan.launch @conv
func.func @strided_product(%x: tensor<1x7x7x4xf32> {nn.name = "x"}) -> (tensor<1x3x3x8xf32> {nn.name = "y"}) {
  %f = nn.constant dense<0.5> : tensor<3x3x1x4xf32>
  %w = nn.constant dense<0.25> : tensor<1x1x4x8xf32>
  %0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4} : tensor<1x7x7x4xf32>, tensor<3x3x1x4xf32>
  %1 = nn.conv %0, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<1x5x5x4xf32>, tensor<1x1x4x8xf32>
  return %1 : tensor<1x3x3x8xf32>
}

// -----

// A window that no loader writes out has a kernel of its own.

// CHECK-LABEL: plan.entry @large_window
// CHECK-COUNT-2: plan.launch @conv
func.func @large_window(%x: tensor<1x9x9x4xf32> {nn.name = "x"}) -> (tensor<1x2x2x8xf32> {nn.name = "y"}) {
  %f = nn.constant dense<0.5> : tensor<8x8x1x4xf32>
  %w = nn.constant dense<0.25> : tensor<1x1x4x8xf32>
  %0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4} : tensor<1x9x9x4xf32>, tensor<8x8x1x4xf32>
  %1 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<1x2x2x4xf32>, tensor<1x1x4x8xf32>
  return %1 : tensor<1x2x2x8xf32>
}
