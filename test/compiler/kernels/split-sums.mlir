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

// -----

// A dense layer: few rows of few columns, but a long sum. It is a batch of products of parts of the depth, read through views and a
// transpose; what adds up the parts continues with the bias and the rectifier. A CPU divides nothing.

// CHECK-LABEL: func.func @dense(
// CHECK-DAG:     %[[X:[^ ]+]] = nn.reshape %{{.*}} : tensor<128x4096xf32> to tensor<128x16x256xf32>
// CHECK-DAG:     %[[TURNED:[^ ]+]] = nn.transpose %[[X]] [1, 0, 2]
// CHECK-DAG:     %[[W:[^ ]+]] = nn.reshape %{{.*}} : tensor<4096x512xf32> to tensor<16x256x512xf32>
// CHECK:         %[[PARTS:[^ ]+]] = nn.matmul %[[TURNED]], %[[W]]
// CHECK-NEXT:    nn.reduce sum %[[PARTS]] {axes = array<i64: 0>} : tensor<16x128x512xf32>
// CPU-LABEL: func.func @dense(
// CPU-NOT:     nn.reshape
// CPU-NOT:     nn.reduce
// PLAN-LABEL: plan.entry @dense
// PLAN:         plan.launch @matmul_0({{.*}}) into(%[[P:[^ ]+]]) : (memref<128x16x256xf32>, memref<16x256x512xf32>) into(memref<16x128x512xf32>)
// PLAN-NEXT:    plan.launch @reduce_0(%[[P]], %{{.*}}) into
// PLAN-NOT:     plan.launch
func.func @dense(%x: tensor<128x4096xf32> {nn.name = "x"}, %w: tensor<4096x512xf32> {nn.variable = "w"}, %b: tensor<512xf32> {nn.variable = "b"})
    -> (tensor<128x512xf32> {nn.name = "y"}) {
  %0 = nn.matmul %x, %w : tensor<128x4096xf32>, tensor<4096x512xf32>
  %1 = nn.binary add %0, %b : tensor<128x512xf32>, tensor<512xf32>
  %2 = nn.unary relu %1 : tensor<128x512xf32>
  return %2 : tensor<128x512xf32>
}

// -----

// The gradient of a recurrence's weight: 1600 is divided into sixteen. Both operands are read as they are stored, also if the product is of
// transposed ones.

// CHECK-LABEL: func.func @transposed(
// CHECK-DAG:     %[[X:[^ ]+]] = nn.reshape %arg0 : tensor<1600x128xf32> to tensor<16x100x128xf32>
// CHECK-DAG:     %[[Y:[^ ]+]] = nn.reshape %arg1 : tensor<512x1600xf32> to tensor<512x16x100xf32>
// CHECK-DAG:     %[[A:[^ ]+]] = nn.transpose %[[X]] [0, 2, 1]
// CHECK-DAG:     %[[B:[^ ]+]] = nn.transpose %[[Y]] [1, 2, 0]
// CHECK:         %[[PARTS:[^ ]+]] = nn.matmul %[[A]], %[[B]]
// CHECK-NEXT:    nn.reduce sum %[[PARTS]] {axes = array<i64: 0>} : tensor<16x128x512xf32>
// PLAN-LABEL: plan.entry @transposed
// PLAN-NOT:     plan.launch
// PLAN:         plan.launch @matmul_0(
// PLAN-NEXT:    plan.launch @reduce_0(
// PLAN-NOT:     plan.launch
func.func @transposed(%x: tensor<1600x128xf32> {nn.name = "x"}, %y: tensor<512x1600xf32> {nn.name = "y"}) -> (tensor<128x512xf32> {nn.name = "dw"}) {
  %0 = nn.transpose %x [1, 0] : tensor<1600x128xf32>
  %1 = nn.transpose %y [1, 0] : tensor<512x1600xf32>
  %2 = nn.matmul %0, %1 : tensor<128x1600xf32>, tensor<1600x512xf32>
  return %2 : tensor<128x512xf32>
}

// -----

// The same as the weight lies: the product of the operands in turned order needs no transpose after it.

// CHECK-LABEL: func.func @turned(
// CHECK-DAG:     %[[X:[^ ]+]] = nn.reshape %arg0 : tensor<1600x128xf32> to tensor<16x100x128xf32>
// CHECK-DAG:     %[[Y:[^ ]+]] = nn.reshape %arg1 : tensor<1600x512xf32> to tensor<16x100x512xf32>
// CHECK-DAG:     %[[A:[^ ]+]] = nn.transpose %[[Y]] [0, 2, 1]
// CHECK:         %[[PARTS:[^ ]+]] = nn.matmul %[[A]], %[[X]]
// CHECK-NEXT:    %[[SUM:[^ ]+]] = nn.reduce sum %[[PARTS]] {axes = array<i64: 0>} : tensor<16x512x128xf32>
// CHECK-NEXT:    return %[[SUM]]
// PLAN-LABEL: plan.entry @turned
// PLAN-NOT:     plan.launch
// PLAN:         plan.launch @matmul_0(
// PLAN-NEXT:    plan.launch @reduce_0(
// PLAN-NOT:     plan.launch
func.func @turned(%x: tensor<1600x128xf32> {nn.name = "x"}, %dy: tensor<1600x512xf32> {nn.name = "dy"}) -> (tensor<512x128xf32> {nn.name = "dw"}) {
  %0 = nn.transpose %x [1, 0] : tensor<1600x128xf32>
  %1 = nn.matmul %0, %dy : tensor<128x1600xf32>, tensor<1600x512xf32>
  %2 = nn.transpose %1 [1, 0] : tensor<128x512xf32>
  return %2 : tensor<512x128xf32>
}

// -----

// The gradient of a weight of twelve inputs: so few rows have no tile that divides the sum, so its parts may be shorter.

// CHECK-LABEL: func.func @thin(
// CHECK:         %[[PARTS:[^ ]+]] = nn.matmul {{.*}} : tensor<32x12x50xf32>, tensor<32x50x512xf32>
// CHECK-NEXT:    nn.reduce sum %[[PARTS]] {axes = array<i64: 0>} : tensor<32x12x512xf32>
// CPU-LABEL: func.func @thin(
// CPU-NOT:     nn.reduce
// PLAN-LABEL: plan.entry @thin
func.func @thin(%x: tensor<1600x12xf32> {nn.name = "x"}, %dy: tensor<1600x512xf32> {nn.name = "dy"}) -> (tensor<12x512xf32> {nn.name = "dw"}) {
  %0 = nn.transpose %x [1, 0] : tensor<1600x12xf32>
  %1 = nn.matmul %0, %dy : tensor<12x1600xf32>, tensor<1600x512xf32>
  return %1 : tensor<12x512xf32>
}

// -----

// A product with a constant, as inference has, stays: its weight is packed for a kernel that reads all of it.

// CHECK-LABEL: func.func @constant(
// CHECK-NOT:     nn.reduce
// PLAN-LABEL: plan.entry @constant
func.func @constant(%x: tensor<128x4096xf32> {nn.name = "x"}) -> (tensor<128x512xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<4096x512xf32>
  %0 = nn.matmul %x, %w : tensor<128x4096xf32>, tensor<4096x512xf32>
  return %0 : tensor<128x512xf32>
}
