// RUN: nacre-opt %s --nacre-part-products --nacre-part-heads --nacre-block-rows --split-input-file | FileCheck %s

// A pass for one engine changes the operators that this engine computes. A chain ends at an operator of another engine.

// CHECK-LABEL: func.func @block_of_the_cpu(
// CHECK:         nn.matmul %{{.*}} {plan.engine = "cpu"} : tensor<64x8xf32>, tensor<8x32xf32>
// CHECK:         nn.concat
func.func @block_of_the_cpu(%x: tensor<128x8xf32>) -> tensor<128x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %h = nn.matmul %x, %w {plan.engine = "cpu"} : tensor<128x8xf32>, tensor<8x32xf32>
  %r = nn.unary relu %h {plan.engine = "cpu"} : tensor<128x32xf32>
  %p = nn.matmul %r, %v {plan.engine = "cpu"} : tensor<128x32xf32>, tensor<32x8xf32>
  return %p : tensor<128x8xf32>
}

// -----

// CHECK-LABEL: func.func @blocks_of_others(
// CHECK-NOT:     nn.concat
func.func @blocks_of_others(%x: tensor<128x8xf32>) -> (tensor<128x8xf32>, tensor<128x8xf32>, tensor<128x8xf32>) {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %a = nn.matmul %x, %w : tensor<128x8xf32>, tensor<8x32xf32>
  %b = nn.unary relu %a : tensor<128x32xf32>
  %c = nn.matmul %b, %v : tensor<128x32xf32>, tensor<32x8xf32>
  %d = nn.matmul %x, %w {plan.engine = "cpu"} : tensor<128x8xf32>, tensor<8x32xf32>
  %e = nn.unary relu %d {plan.engine = "gpu"} : tensor<128x32xf32>
  %f = nn.matmul %e, %v {plan.engine = "cpu"} : tensor<128x32xf32>, tensor<32x8xf32>
  %g = nn.matmul %x, %w {plan.engine = "cpu"} : tensor<128x8xf32>, tensor<8x32xf32>
  %h = nn.unary relu %g {plan.engine = "cpu"} : tensor<128x32xf32>
  %i = nn.matmul %h, %v {plan.engine = "gpu"} : tensor<128x32xf32>, tensor<32x8xf32>
  return %c, %f, %i : tensor<128x8xf32>, tensor<128x8xf32>, tensor<128x8xf32>
}

// -----

// CHECK-LABEL: func.func @parts_of_the_cpu(
// CHECK:         %[[P:[^ ]+]] = nn.matmul
// CHECK-NEXT:    nn.slice %[[P]]
func.func @parts_of_the_cpu(%h: tensor<2x8xf32>, %row: tensor<2x16xf32>) -> tensor<2x8xf32> {
  %w = nn.constant dense<0.25> : tensor<8x16xf32>
  %p = nn.matmul %h, %w {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<8x16xf32>
  %z = nn.binary add %p, %row {plan.engine = "cpu"} : tensor<2x16xf32>, tensor<2x16xf32>
  %i = nn.slice %z [0, 0] [2, 8] [1, 1] : tensor<2x16xf32>
  %j = nn.slice %z [0, 8] [2, 8] [1, 1] : tensor<2x16xf32>
  %y = nn.binary mul %i, %j {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @parts_of_others(
// CHECK-COUNT-3: nn.binary add %{{.*}} : tensor<2x16xf32>, tensor<2x16xf32>
func.func @parts_of_others(%h: tensor<2x8xf32>, %row: tensor<2x16xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %w = nn.constant dense<0.25> : tensor<8x16xf32>
  %p = nn.matmul %h, %w : tensor<2x8xf32>, tensor<8x16xf32>
  %z = nn.binary add %p, %row : tensor<2x16xf32>, tensor<2x16xf32>
  %i = nn.slice %z [0, 0] [2, 8] [1, 1] : tensor<2x16xf32>
  %j = nn.slice %z [0, 8] [2, 8] [1, 1] : tensor<2x16xf32>
  %y = nn.binary mul %i, %j : tensor<2x8xf32>, tensor<2x8xf32>
  %p1 = nn.matmul %h, %w {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<8x16xf32>
  %z1 = nn.binary add %p1, %row {plan.engine = "gpu"} : tensor<2x16xf32>, tensor<2x16xf32>
  %i1 = nn.slice %z1 [0, 0] [2, 8] [1, 1] : tensor<2x16xf32>
  %j1 = nn.slice %z1 [0, 8] [2, 8] [1, 1] : tensor<2x16xf32>
  %y1 = nn.binary mul %i1, %j1 {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<2x8xf32>
  %p2 = nn.matmul %h, %w {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<8x16xf32>
  %z2 = nn.binary add %p2, %row {plan.engine = "cpu"} : tensor<2x16xf32>, tensor<2x16xf32>
  %i2 = nn.slice %z2 [0, 0] [2, 8] [1, 1] : tensor<2x16xf32>
  %j2 = nn.slice %z2 [0, 8] [2, 8] [1, 1] : tensor<2x16xf32>
  %y2 = nn.binary mul %i2, %j2 {plan.engine = "gpu"} : tensor<2x8xf32>, tensor<2x8xf32>
  return %y, %y1, %y2 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @heads_of_others(
// CHECK-COUNT-2: nn.binary add %{{.*}} : tensor<8x24xf32>, tensor<24xf32>
// CHECK-LABEL: func.func @heads_of_the_cpu(
// CHECK-NOT:     tensor<8x24xf32>, tensor<24xf32>
// CHECK:         nn.binary add %{{.*}} : tensor<8x8xf32>, tensor<8xf32>
func.func @heads_of_others(%x: tensor<8x6xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>) {
  %w = nn.constant dense<0.5> : tensor<6x24xf32>
  %b = nn.constant dense<0.25> : tensor<24xf32>
  %p = nn.matmul %x, %w : tensor<8x6xf32>, tensor<6x24xf32>
  %s = nn.binary add %p, %b : tensor<8x24xf32>, tensor<24xf32>
  %h = nn.reshape %s : tensor<8x24xf32> to tensor<8x6x4xf32>
  %q = nn.slice %h [0, 0, 0] [8, 2, 4] [1, 1, 1] : tensor<8x6x4xf32>
  %p1 = nn.matmul %x, %w {plan.engine = "cpu"} : tensor<8x6xf32>, tensor<6x24xf32>
  %s1 = nn.binary add %p1, %b {plan.engine = "gpu"} : tensor<8x24xf32>, tensor<24xf32>
  %h1 = nn.reshape %s1 : tensor<8x24xf32> to tensor<8x6x4xf32>
  %q1 = nn.slice %h1 [0, 2, 0] [8, 2, 4] [1, 1, 1] : tensor<8x6x4xf32>
  return %q, %q1 : tensor<8x2x4xf32>, tensor<8x2x4xf32>
}
func.func @heads_of_the_cpu(%x: tensor<8x6xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>) {
  %w = nn.constant dense<0.5> : tensor<6x24xf32>
  %b = nn.constant dense<0.25> : tensor<24xf32>
  %p = nn.matmul %x, %w {plan.engine = "cpu"} : tensor<8x6xf32>, tensor<6x24xf32>
  %s = nn.binary add %p, %b {plan.engine = "cpu"} : tensor<8x24xf32>, tensor<24xf32>
  %h = nn.reshape %s : tensor<8x24xf32> to tensor<8x6x4xf32>
  %q = nn.slice %h [0, 0, 0] [8, 2, 4] [1, 1, 1] : tensor<8x6x4xf32>
  %k = nn.slice %h [0, 2, 0] [8, 2, 4] [1, 1, 1] : tensor<8x6x4xf32>
  return %q, %k : tensor<8x2x4xf32>, tensor<8x2x4xf32>
}
