// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels --nacre-verify-kernels \
// RUN:     --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=ANY

// A GPU computes windows once, for their maxima and the codes of these, although a convolution that reads the maxima stands before the codes. The
// codes are part of the forward pass. The gradient of the pool's input is written as the image that the next convolution reads, with its border.

// CHECK-LABEL: plan.entry @step
// CHECK:         plan.launch @pool_0
// CHECK-NEXT:    plan.launch @conv_0
// CHECK-NEXT:    plan.launch @unpool_0
// CHECK-NEXT:    plan.launch @conv_1
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.kernel @pool_0 nest
// CHECK-SAME:    into (%{{.*}}: tensor<2x6x6x8xf32>, %{{.*}}: tensor<2x4x4x8xi8>)
// CHECK:         arith.maximumf
// CHECK:         arith.minui
// CHECK:         arith.cmpf ogt
// CHECK:         linalg.yield %{{.*}}, %{{.*}} : f32, i8
// CHECK-LABEL: plan.kernel @unpool_0 nest
// CHECK-SAME:    into (%{{.*}}: tensor<2x10x10x8xf32>)
// CHECK:         affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d2, d3 * 2 + d4, d5)>

// What both engines may compute has a kernel for each, and a copy makes the border.

// ANY-LABEL: plan.entry @step
// ANY:         plan.launch @pool_0
// ANY-NEXT:    plan.launch @conv_0
// ANY-NEXT:    plan.launch @pool_code_0
// ANY-NEXT:    plan.launch @unpool_0
// ANY:         plan.launch @copy_0
// ANY-NEXT:    plan.launch @conv_1
// ANY-NOT:     plan.launch
func.func @step(%x: tensor<2x8x8x8xf32> {nn.name = "x"}) -> (tensor<2x8x8x8xf32> {nn.name = "dx"}) {
  %w = nn.constant dense<0.25> : tensor<3x3x8x8xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %none = nn.constant dense<255> : tensor<ui8>
  %0 = nn.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<2x8x8x8xf32>
  %1 = nn.pad constant %0 [0, 1, 1, 0] [0, 1, 1, 0] 0.0 : f32 : tensor<2x4x4x8xf32>
  %2 = nn.conv %1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<2x6x6x8xf32>, tensor<3x3x8x8xf32>
  %3 = nn.pool_code %x, %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<2x8x8x8xf32>, tensor<2x4x4x8xf32>
  %4 = nn.binary greater %0, %zero : tensor<2x4x4x8xf32>, tensor<f32>
  %5 = nn.select %4, %3, %none : tensor<2x4x4x8xi1>, tensor<2x4x4x8xui8>, tensor<ui8>
  %6 = nn.unpool %2, %5 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : tensor<2x4x4x8xf32>, tensor<2x4x4x8xui8>
  %7 = nn.reshape %6 : tensor<2x4x2x4x2x8xf32> to tensor<2x8x8x8xf32>
  %8 = nn.pad constant %7 [0, 1, 1, 0] [0, 1, 1, 0] 0.0 : f32 : tensor<2x8x8x8xf32>
  %9 = nn.conv %8, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<2x10x10x8xf32>, tensor<3x3x8x8xf32>
  return %9 : tensor<2x8x8x8xf32>
}

// -----

// Codes of other windows than the maxima's are a kernel of their own, and so is a gradient whose steps are read one by one.

// CHECK-LABEL: plan.entry @apart
// CHECK:         plan.launch @pool_0
// CHECK-NEXT:    plan.launch @pool_code_0
// CHECK-NEXT:    plan.launch @unpool_0({{.*}}into(memref<2x4x2x8xf32>)
// CHECK-NOT:     plan.launch
// ANY-LABEL: plan.entry @apart
func.func @apart(%x: tensor<2x8x8xf32> {nn.name = "x"}) -> (tensor<2x4x2x8xf32> {nn.name = "dx"}) {
  %0 = nn.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, overhang = array<i64: 0>} : tensor<2x8x8xf32>
  %1 = nn.pool_code %x, %0 {kernel = array<i64: 1>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, overhang = array<i64: 0>} : tensor<2x8x8xf32>, tensor<2x4x8xf32>
  %2 = nn.unpool %0, %1 {kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>} : tensor<2x4x8xf32>, tensor<2x4x8xui8>
  return %2 : tensor<2x4x2x8xf32>
}

// -----

// A gradient that is written as an image is cut among images or channels: two loops walk each of its other axes.

// CHECK-LABEL: plan.entry @one_image
// CHECK:       plan.kernel @unpool_0 nest {{.*}}into (%{{[^:]*}}: tensor<1x8x8x6xf32>) cut 3 : 6
func.func @one_image(%x: tensor<1x4x4x6xf32> {nn.name = "x"}, %code: tensor<1x4x4x6xui8> {nn.name = "code"}) -> (tensor<1x8x8x6xf32> {nn.name = "dx"}) {
  %0 = nn.unpool %x, %code {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : tensor<1x4x4x6xf32>, tensor<1x4x4x6xui8>
  %1 = nn.reshape %0 : tensor<1x4x2x4x2x6xf32> to tensor<1x8x8x6xf32>
  return %1 : tensor<1x8x8x6xf32>
}
