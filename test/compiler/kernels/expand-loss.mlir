// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-expand-loss --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-expand-loss --split-input-file | FileCheck %s --check-prefix=ANY
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-expand-loss --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=PLAN

// A loss and its gradient: one kernel has the terms of the loss and the gradient as its results, another one adds up the terms.

// CHECK-LABEL: func.func @documented_example(
// CHECK:         %[[LARGEST:[^ ]+]] = nn.reduce max %arg0 {axes = array<i64: 1>, keep_dims, plan.several_results}
// CHECK-NEXT:    %[[DISTANCES:[^ ]+]] = nn.binary sub %arg0, %[[LARGEST]]
// CHECK-NEXT:    %[[TERMS:[^ ]+]] = nn.unary exp %[[DISTANCES]]
// CHECK-NEXT:    %[[SUM:[^ ]+]] = nn.reduce sum %[[TERMS]]
// CHECK-NEXT:    %[[SHIFT:[^ ]+]] = nn.unary log %[[SUM]]
// CHECK-NEXT:    nn.binary sub %[[DISTANCES]], %[[SHIFT]]
// CHECK:         nn.binary sub
// CHECK-NEXT:    %[[LOSS:[^ ]+]] = nn.reduce sum %{{.*}} {axes = array<i64: 0, 1>}
// CHECK-NEXT:    nn.binary mul %[[LOSS]]
// CHECK-NEXT:    return
// ANY-LABEL: func.func @documented_example(
// ANY:         nn.softmax
// PLAN-LABEL: plan.entry @documented_example
// PLAN:         plan.launch @reduce_0({{.*}}) {{.*}} into(memref<8x10xf32>, memref<8x10xf32>)
// PLAN:         plan.launch @reduce_1({{.*}}) {{.*}} into(memref<f32>)
// PLAN-NOT:     plan.launch
func.func @documented_example(%logits: tensor<8x10xf32> {nn.name = "logits"}, %label: tensor<8x1xi64> {nn.name = "label"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<8x10xf32> {nn.name = "gradient"}) {
  %classes = nn.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]> : tensor<1x10xi64>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %share = nn.constant dense<-0.125> : tensor<f32>
  %0 = nn.softmax %logits {axis = 1, log} : tensor<8x10xf32>
  %1 = nn.binary equal %classes, %label : tensor<1x10xi64>, tensor<8x1xi64>
  %2 = nn.select %1, %0, %zero : tensor<8x10xi1>, tensor<8x10xf32>, tensor<f32>
  %3 = nn.reduce sum %2 {axes = array<i64: 0, 1>} : tensor<8x10xf32>
  %4 = nn.binary mul %3, %share : tensor<f32>, tensor<f32>
  %5 = nn.select %1, %share, %zero : tensor<8x10xi1>, tensor<f32>, tensor<f32>
  %6 = nn.unary exp %0 : tensor<8x10xf32>
  %7 = nn.reduce sum %5 {axes = array<i64: 1>, keep_dims} : tensor<8x10xf32>
  %8 = nn.binary mul %6, %7 : tensor<8x10xf32>, tensor<8x1xf32>
  %9 = nn.binary sub %5, %8 : tensor<8x10xf32>, tensor<8x10xf32>
  return %4, %9 : tensor<f32>, tensor<8x10xf32>
}

// -----

// With one reader, a softmax and what follows it are one kernel already. A product reads it as it is.

// CHECK-LABEL: func.func @as_they_are(
// CHECK-COUNT-2: nn.softmax
// CHECK-NOT:     nn.reduce
// ANY-LABEL: func.func @as_they_are(
// PLAN-LABEL: plan.entry @as_they_are
func.func @as_they_are(%x: tensor<8x10xf32> {nn.name = "x"}, %w: tensor<10x4xf32> {nn.name = "w"})
    -> (tensor<8x10xf32> {nn.name = "a"}, tensor<8x4xf32> {nn.name = "b"}, tensor<8x10xf32> {nn.name = "c"}) {
  %0 = nn.softmax %x {axis = 1, log} : tensor<8x10xf32>
  %1 = nn.unary neg %0 : tensor<8x10xf32>
  %2 = nn.softmax %x {axis = 1, log} : tensor<8x10xf32>
  %3 = nn.matmul %2, %w : tensor<8x10xf32>, tensor<10x4xf32>
  %4 = nn.unary exp %2 : tensor<8x10xf32>
  return %1, %3, %4 : tensor<8x10xf32>, tensor<8x4xf32>, tensor<8x10xf32>
}
