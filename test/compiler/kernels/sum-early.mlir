// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-sum-early --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-sum-early --split-input-file | FileCheck %s --check-prefix=ANY
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-sum-early --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=PLAN

// The gradient of a bias before a pool: a fourth of the elements.

// CHECK-LABEL: func.func @documented_example(
// CHECK-DAG:     %[[NONE:[^ ]+]] = nn.constant dense<255> : tensor<ui8>
// CHECK-DAG:     %[[ZERO:[^ ]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG:     %[[NOWHERE:[^ ]+]] = nn.binary equal %arg1, %[[NONE]]
// CHECK-DAG:     %[[PLACED:[^ ]+]] = nn.select %[[NOWHERE]], %[[ZERO]], %arg0
// CHECK:         nn.reduce sum %[[PLACED]] {axes = array<i64: 0, 1, 2>} : tensor<2x4x4x8xf32>
// ANY-LABEL: func.func @documented_example(
// ANY:         nn.reduce sum %{{.*}} {axes = array<i64: 0, 1, 2>} : tensor<2x9x9x8xf32>

// Both choices are in the sum's kernel.

// PLAN-LABEL: plan.entry @documented_example
// PLAN:         plan.launch @unpool_0
// PLAN:         plan.launch @reduce_0({{.*}}) {{.*}} : (memref<2x4x4x8xi8>, memref<2x4x4x8xf32>) into(memref<8xf32>)
// PLAN-NOT:     plan.launch
func.func @documented_example(%dy: tensor<2x4x4x8xf32> {nn.name = "dy"}, %code: tensor<2x4x4x8xui8> {nn.name = "code"})
    -> (tensor<2x9x9x8xf32> {nn.name = "dx"}, tensor<8xf32> {nn.name = "db"}) {
  %0 = nn.unpool %dy, %code {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : tensor<2x4x4x8xf32>, tensor<2x4x4x8xui8>
  %1 = nn.reshape %0 : tensor<2x4x2x4x2x8xf32> to tensor<2x8x8x8xf32>
  %2 = nn.pad constant %1 [0, 0, 0, 0] [0, 1, 1, 0] 0.0 : f32 : tensor<2x8x8x8xf32>
  %3 = nn.reduce sum %2 {axes = array<i64: 0, 1, 2>} : tensor<2x9x9x8xf32>
  return %2, %3 : tensor<2x9x9x8xf32>, tensor<8xf32>
}

// -----

// Part of an image may be without the place of a maximum, and the sums of single rows are others.

// CHECK-LABEL: func.func @other_sums(
// CHECK-NOT:     nn.select
// ANY-LABEL: func.func @other_sums(
// PLAN-LABEL: plan.entry @other_sums
func.func @other_sums(%dy: tensor<2x4x4x8xf32> {nn.name = "dy"}, %code: tensor<2x4x4x8xui8> {nn.name = "code"})
    -> (tensor<8xf32> {nn.name = "part"}, tensor<8x8xf32> {nn.name = "rows"}) {
  %0 = nn.unpool %dy, %code {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : tensor<2x4x4x8xf32>, tensor<2x4x4x8xui8>
  %1 = nn.reshape %0 : tensor<2x4x2x4x2x8xf32> to tensor<2x8x8x8xf32>
  %2 = nn.slice %1 [0, 0, 1, 0] [2, 8, 7, 8] [1, 1, 1, 1] : tensor<2x8x8x8xf32>
  %3 = nn.reduce sum %2 {axes = array<i64: 0, 1, 2>} : tensor<2x8x7x8xf32>
  %4 = nn.reduce sum %1 {axes = array<i64: 0, 2>} : tensor<2x8x8x8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8x8xf32>
}

// -----

// Halves become wide after they are chosen.

// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     nn.cast
// CHECK:         %[[PLACED:[^ ]+]] = nn.select {{.*}} tensor<2x4x4x8xf16>
// CHECK:         %[[WIDE:[^ ]+]] = nn.cast %[[PLACED]] : tensor<2x4x4x8xf16> to tensor<2x4x4x8xf32>
// CHECK:         nn.reduce sum %[[WIDE]] {axes = array<i64: 0, 1, 2>} : tensor<2x4x4x8xf32>
// CHECK-NOT:     nn.cast
// ANY-LABEL: func.func @halves(
// PLAN-LABEL: plan.entry @halves
// PLAN:         plan.launch @reduce_0({{.*}}) {{.*}} : (memref<2x4x4x8xi8>, memref<2x4x4x8xf16>) into(memref<8xf32>)
// PLAN-NOT:     plan.launch
func.func @halves(%dy: tensor<2x4x4x8xf16> {nn.name = "dy"}, %code: tensor<2x4x4x8xui8> {nn.name = "code"}) -> (tensor<8xf32> {nn.name = "db"}) {
  %0 = nn.unpool %dy, %code {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : tensor<2x4x4x8xf16>, tensor<2x4x4x8xui8>
  %1 = nn.reshape %0 : tensor<2x4x2x4x2x8xf16> to tensor<2x8x8x8xf16>
  %2 = nn.cast %1 : tensor<2x8x8x8xf16> to tensor<2x8x8x8xf32>
  %3 = nn.reduce sum %2 {axes = array<i64: 0, 1, 2>} : tensor<2x8x8x8xf32>
  return %3 : tensor<8xf32>
}

// -----

// An image that would be added up in two steps: so are its windows.

// CHECK-LABEL: func.func @by_images(
// CHECK:         %[[PLACED:[^ ]+]] = nn.select {{.*}} tensor<16x16x16x8xf32>
// CHECK:         %[[IMAGES:[^ ]+]] = nn.reduce sum %[[PLACED]] {axes = array<i64: 1, 2>} : tensor<16x16x16x8xf32>
// CHECK:         nn.reduce sum %[[IMAGES]] {axes = array<i64: 0>} : tensor<16x8xf32>
// ANY-LABEL: func.func @by_images(
// PLAN-LABEL: plan.entry @by_images
func.func @by_images(%dy: tensor<16x16x16x8xf32> {nn.name = "dy"}, %code: tensor<16x16x16x8xui8> {nn.name = "code"}) -> (tensor<8xf32> {nn.name = "db"}) {
  %0 = nn.unpool %dy, %code {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : tensor<16x16x16x8xf32>, tensor<16x16x16x8xui8>
  %1 = nn.reshape %0 : tensor<16x16x2x16x2x8xf32> to tensor<16x32x32x8xf32>
  %2 = nn.reduce sum %1 {axes = array<i64: 0, 1, 2>} : tensor<16x32x32x8xf32>
  return %2 : tensor<8xf32>
}
