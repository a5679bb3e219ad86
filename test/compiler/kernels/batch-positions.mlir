// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-batch-positions --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-batch-positions --split-input-file | FileCheck %s --check-prefix=ANY
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-batch-positions --nacre-split-sums --nacre-form-kernels --nacre-assign-storages \
// RUN:     --nacre-merge-kernels --nacre-verify-kernels --split-input-file | FileCheck %s --check-prefix=PLAN

// Each of four positions is a batch of 512 rows of the matrix, in four parts.

// CHECK-LABEL: func.func @documented_example(
// CHECK-DAG:     %[[X:[^ ]+]] = nn.reshape %arg0 : tensor<128x2x2x512xf32> to tensor<128x4x4x128xf32>
// CHECK-DAG:     %[[W:[^ ]+]] = nn.reshape %arg1 : tensor<2048x512xf32> to tensor<4x128x4x512xf32>
// CHECK-DAG:     %[[LEFT:[^ ]+]] = nn.transpose %[[X]] [1, 2, 0, 3]
// CHECK-DAG:     %[[RIGHT:[^ ]+]] = nn.transpose %[[W]] [2, 0, 1, 3]
// CHECK:         %[[PARTS:[^ ]+]] = nn.matmul %[[LEFT]], %[[RIGHT]] : tensor<4x4x128x128xf32>, tensor<4x4x128x512xf32>
// CHECK-NEXT:    nn.reduce sum %[[PARTS]] {axes = array<i64: 0, 1>} : tensor<4x4x128x512xf32>
// ANY-LABEL: func.func @documented_example(
// ANY:         nn.matmul %{{.*}} : tensor<128x2048xf32>, tensor<2048x512xf32>
// PLAN-LABEL: plan.entry @documented_example
// PLAN:         plan.launch @matmul_0({{.*}}) into({{.*}}) : (memref<128x4x4x128xf32>, memref<4x128x4x512xf32>) into(memref<4x4x128x512xf32>)
// PLAN-NEXT:    plan.launch @reduce_0
// PLAN-NOT:     plan.launch
func.func @documented_example(%x: tensor<128x2x2x512xf32> {nn.name = "x"}, %w: tensor<2048x512xf32> {nn.variable = "w"})
    -> (tensor<128x512xf32> {nn.name = "y"}) {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<128x2x2x512xf32>
  %1 = nn.reshape %0 : tensor<128x512x2x2xf32> to tensor<128x2048xf32>
  %2 = nn.matmul %1, %w : tensor<128x2048xf32>, tensor<2048x512xf32>
  return %2 : tensor<128x512xf32>
}

// -----

// The gradient of the images: one product of batches, which writes pixels as they lie.

// CHECK-LABEL: func.func @gradient(
// CHECK-DAG:     %[[DY:[^ ]+]] = nn.reshape %arg0 : tensor<128x32xf32> to tensor<1x128x32xf32>
// CHECK-DAG:     %[[W:[^ ]+]] = nn.reshape %arg1 : tensor<64x32xf32> to tensor<16x4x32xf32>
// CHECK-DAG:     %[[RIGHT:[^ ]+]] = nn.transpose %[[W]] [1, 2, 0]
// CHECK:         %[[POSITIONS:[^ ]+]] = nn.matmul %[[DY]], %[[RIGHT]] : tensor<1x128x32xf32>, tensor<4x32x16xf32>
// CHECK:         %[[PIXELS:[^ ]+]] = nn.transpose %[[POSITIONS]] [1, 0, 2]
// CHECK-NEXT:    nn.reshape %[[PIXELS]] : tensor<128x4x16xf32> to tensor<128x2x2x16xf32>
// CHECK-NOT:     nn.transpose
// ANY-LABEL: func.func @gradient(
// PLAN-LABEL: plan.entry @gradient
// PLAN:         plan.launch @matmul_0({{.*}} into(memref<128x4x16xf32>)
// PLAN-NOT:     plan.launch
func.func @gradient(%dy: tensor<128x32xf32> {nn.name = "dy"}, %w: tensor<64x32xf32> {nn.variable = "w"}) -> (tensor<128x2x2x16xf32> {nn.name = "dx"}) {
  %0 = nn.transpose %w [1, 0] : tensor<64x32xf32>
  %1 = nn.matmul %dy, %0 : tensor<128x32xf32>, tensor<32x64xf32>
  %2 = nn.reshape %1 : tensor<128x64xf32> to tensor<128x16x2x2xf32>
  %3 = nn.transpose %2 [0, 2, 3, 1] : tensor<128x16x2x2xf32>
  return %3 : tensor<128x2x2x16xf32>
}

// -----

// A short sum would need a second launch. A constant is packed for a kernel that reads all of it. Axes in another order are not positions.

// CHECK-LABEL: func.func @as_they_are(
// CHECK-COUNT-3: nn.matmul %{{[^ ]+}}, %{{[^ ]+}} : tensor<128x
// CHECK-NOT:     nn.matmul
// ANY-LABEL: func.func @as_they_are(
// PLAN-LABEL: plan.entry @as_they_are
func.func @as_they_are(%x: tensor<128x2x2x16xf32> {nn.name = "x"}, %w: tensor<64x512xf32> {nn.variable = "w"},
                       %z: tensor<128x2x2x512xf32> {nn.name = "z"}, %v: tensor<2048x512xf32> {nn.variable = "v"})
    -> (tensor<128x512xf32> {nn.name = "a"}, tensor<128x512xf32> {nn.name = "b"}, tensor<128x512xf32> {nn.name = "c"}) {
  %c = nn.constant dense<0.5> : tensor<2048x512xf32>
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<128x2x2x16xf32>
  %1 = nn.reshape %0 : tensor<128x16x2x2xf32> to tensor<128x64xf32>
  %2 = nn.matmul %1, %w : tensor<128x64xf32>, tensor<64x512xf32>
  %3 = nn.transpose %z [0, 3, 1, 2] : tensor<128x2x2x512xf32>
  %4 = nn.reshape %3 : tensor<128x512x2x2xf32> to tensor<128x2048xf32>
  %5 = nn.matmul %4, %c : tensor<128x2048xf32>, tensor<2048x512xf32>
  %6 = nn.transpose %z [0, 3, 2, 1] : tensor<128x2x2x512xf32>
  %7 = nn.reshape %6 : tensor<128x512x2x2xf32> to tensor<128x2048xf32>
  %8 = nn.matmul %7, %v : tensor<128x2048xf32>, tensor<2048x512xf32>
  return %2, %5, %8 : tensor<128x512xf32>, tensor<128x512xf32>, tensor<128x512xf32>
}
