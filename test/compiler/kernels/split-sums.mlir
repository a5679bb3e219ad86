// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-split-sums --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-split-sums --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-split-sums --split-input-file | FileCheck %s --check-prefix=CPU
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-split-sums --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=PLAN

// The gradient of a filter of 3x3x8 by 32 is one tile of a GPU. Sixteen images of 8x8 make eight parts of 128 positions.

// CHECK-LABEL: func.func @documented_example(
// CHECK:         %[[PARTS:[^ ]+]] = nn.filter_gradient %{{.*}} {{.*}}parts = array<i64: 8, 1>
// CHECK-NEXT:    nn.reduce sum %[[PARTS]] {axes = array<i64: 0, 1>} : tensor<8x1x3x3x8x32xf32>

// A CPU computes the gradient in one piece.

// CPU-LABEL: func.func @documented_example(
// CPU-NOT:     parts
// CPU-NOT:     nn.reduce

// The second launch adds up the parts, and is the update.

// PLAN-LABEL: plan.entry @documented_example
// PLAN-DAG:     %[[W:[^ ]+]] = plan.storage state "w" 0
// PLAN-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 1
// PLAN:         plan.launch @filter_gradient_0({{.*}}) into(%[[P:[^ ]+]]) {{.*}} into(memref<8x1x3x3x8x32xf32>)
// PLAN-NEXT:    plan.launch @reduce_0(%[[P]], %[[V]], %[[W]], %{{.*}}) into(%[[V]], %[[W]])
// PLAN-NOT:     plan.launch
func.func @documented_example(%x: tensor<16x10x10x8xf32> {nn.name = "x"}, %dy: tensor<16x8x8x32xf32> {nn.name = "dy"},
                              %w: tensor<3x3x8x32xf32> {nn.variable = "w"}, %v: tensor<3x3x8x32xf32> {nn.variable = "v"},
                              %rate: tensor<f32> {nn.name = "rate"})
    -> (tensor<3x3x8x32xf32> {nn.variable = "w"}, tensor<3x3x8x32xf32> {nn.variable = "v"}) {
  %k = nn.constant dense<0.9> : tensor<f32>
  %g = nn.filter_gradient %x, %dy {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : tensor<16x10x10x8xf32>, tensor<16x8x8x32xf32>
  %kept = nn.binary mul %v, %k : tensor<3x3x8x32xf32>, tensor<f32>
  %0 = nn.binary add %kept, %g : tensor<3x3x8x32xf32>, tensor<3x3x8x32xf32>
  %step = nn.binary mul %0, %rate : tensor<3x3x8x32xf32>, tensor<f32>
  %1 = nn.binary sub %w, %step : tensor<3x3x8x32xf32>, tensor<3x3x8x32xf32>
  return %1, %0 : tensor<3x3x8x32xf32>, tensor<3x3x8x32xf32>
}

// -----

// The gradient of a bias: image by image first, then the images.

// CHECK-LABEL: func.func @bias(
// CHECK:         %[[IMAGES:[^ ]+]] = nn.reduce sum %{{.*}} {axes = array<i64: 1, 2>} : tensor<16x32x32x32xf32>
// CHECK-NEXT:    nn.reduce sum %[[IMAGES]] {axes = array<i64: 0>} : tensor<16x32xf32>
// CPU-LABEL: func.func @bias(
// CPU:         nn.reduce sum %{{.*}} {axes = array<i64: 0, 1, 2>}
// PLAN-LABEL: plan.entry @bias
func.func @bias(%dy: tensor<16x32x32x32xf32> {nn.name = "dy"}) -> (tensor<32xf32> {nn.name = "db"}) {
  %0 = nn.reduce sum %dy {axes = array<i64: 0, 1, 2>} : tensor<16x32x32x32xf32>
  return %0 : tensor<32xf32>
}

// -----

// Short sums stay, and so do those that have as many results as a GPU has invocations.

// CHECK-LABEL: func.func @short(
// CHECK-NOT:     parts
// CHECK:         nn.reduce sum %{{.*}} {axes = array<i64: 0, 1, 2>}
// PLAN-LABEL: plan.entry @short
func.func @short(%x: tensor<2x5x5x8xf32> {nn.name = "x"}, %dy: tensor<2x3x3x32xf32> {nn.name = "dy"})
    -> (tensor<3x3x8x32xf32> {nn.name = "dw"}, tensor<32xf32> {nn.name = "db"}) {
  %0 = nn.filter_gradient %x, %dy {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : tensor<2x5x5x8xf32>, tensor<2x3x3x32xf32>
  %1 = nn.reduce sum %dy {axes = array<i64: 0, 1, 2>} : tensor<2x3x3x32xf32>
  return %0, %1 : tensor<3x3x8x32xf32>, tensor<32xf32>
}
