// RUN: nacre-opt %s --nacre-narrow-floats --canonicalize --cse --split-input-file | FileCheck %s

// A step: the product and its operands are narrow. The weight and what is added to it are not, nor is the loss, with its gradient and scale.
// No number is clamped: an infinite gradient must be seen.

// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<2x4xf32>, %[[W:[^ ,:()]+]]: tensor<4x3xf32> {{.*}}, %[[SCALE:[^ ,:()]+]]: tensor<f32>
// CHECK: %[[HALVES:[^ ,:()]+]] = nn.matmul %{{.*}} : tensor<2x4xf16>, tensor<4x3xf16>
// CHECK: %[[Y:[^ ,:()]+]] = nn.cast %[[HALVES]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK: %[[SQUARE:[^ ,:()]+]] = nn.binary mul %[[Y]], %[[Y]] : tensor<2x3xf32>
// CHECK: %[[LOSS:[^ ,:()]+]] = nn.reduce sum %[[SQUARE]] {{.*}} : tensor<2x3xf32>
// CHECK: %[[DY:[^ ,:()]+]] = nn.binary mul %[[Y]], %[[SCALE]] : tensor<2x3xf32>
// CHECK-NOT: nn.binary m{{in|ax}}
// CHECK: %[[NARROW:[^ ,:()]+]] = nn.cast %[[DY]] : tensor<2x3xf32> to tensor<2x3xf16>
// CHECK: %[[DW16:[^ ,:()]+]] = nn.matmul %{{[^ ,]+}}, %[[NARROW]]
// CHECK: %[[DW:[^ ,:()]+]] = nn.cast %[[DW16]] : tensor<4x3xf16> to tensor<4x3xf32>
// CHECK: %[[NEXT:[^ ,:()]+]] = nn.binary sub %[[W]], %[[DW]] : tensor<4x3xf32>
// CHECK: return %[[LOSS]], %[[NEXT]]
func.func @train(%x: tensor<2x4xf32>, %w: tensor<4x3xf32> {nn.variable = "w", nn.role = "weight"},
                 %scale: tensor<f32> {nn.variable = "#loss_scale", nn.role = "counter"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<4x3xf32> {nn.variable = "w"}) {
  %y = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x3xf32>
  %square = nn.binary mul %y, %y : tensor<2x3xf32>, tensor<2x3xf32>
  %loss = nn.reduce sum %square {axes = array<i64: 0, 1>} : tensor<2x3xf32>
  %dy = nn.binary mul %y, %scale : tensor<2x3xf32>, tensor<f32>
  %xt = nn.transpose %x [1, 0] : tensor<2x4xf32>
  %dw = nn.matmul %xt, %dy : tensor<4x2xf32>, tensor<2x3xf32>
  %next = nn.binary sub %w, %dw : tensor<4x3xf32>, tensor<4x3xf32>
  return %loss, %next : tensor<f32>, tensor<4x3xf32>
}

// -----

// A bias is read as it is. The product and what comes after are narrow; a weight of a product is cast.

// CHECK-LABEL: func.func @bias(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<2x4xf32>, %[[W:[^ ,:()]+]]: tensor<4x3xf32> {{.*}}, %[[B:[^ ,:()]+]]: tensor<3xf32>
// CHECK: %[[PRODUCT:[^ ,:()]+]] = nn.matmul %{{.*}} : tensor<2x4xf16>, tensor<4x3xf16>
// CHECK: %[[WIDE:[^ ,:()]+]] = nn.cast %[[PRODUCT]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK: %[[SUM:[^ ,:()]+]] = nn.binary add %[[WIDE]], %[[B]] : tensor<2x3xf32>, tensor<3xf32>
// CHECK: %[[NARROW:[^ ,:()]+]] = nn.cast %[[SUM]] : tensor<2x3xf32> to tensor<2x3xf16>
// CHECK: nn.unary relu %[[NARROW]] : tensor<2x3xf16>
func.func @bias(%x: tensor<2x4xf32>, %w: tensor<4x3xf32> {nn.variable = "w", nn.role = "weight"},
                %b: tensor<3xf32> {nn.variable = "b", nn.role = "weight"}) -> (tensor<2x3xf32> {nn.name = "y"}) {
  %product = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x3xf32>
  %sum = nn.binary add %product, %b : tensor<2x3xf32>, tensor<3xf32>
  %y = nn.unary relu %sum : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// The gradient of a loss is in memory once: the sum for the bias reads what the product does.

// CHECK-LABEL: func.func @summed(
// CHECK: %[[DY:[^ ,:()]+]] = nn.binary mul %{{.*}} : tensor<2x3xf32>
// CHECK: %[[NARROW:[^ ,:()]+]] = nn.cast %[[DY]] : tensor<2x3xf32> to tensor<2x3xf16>
// CHECK-DAG: %[[WIDE:[^ ,:()]+]] = nn.cast %[[NARROW]] : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-DAG: nn.reduce sum %[[WIDE]] {axes = array<i64: 0>} : tensor<2x3xf32>
// CHECK-DAG: nn.matmul %{{[^ ,]+}}, %[[NARROW]] : tensor<4x2xf16>, tensor<2x3xf16>
func.func @summed(%x: tensor<2x4xf32>, %y: tensor<2x3xf32>, %w: tensor<4x3xf32> {nn.variable = "w", nn.role = "weight"},
                  %b: tensor<3xf32> {nn.variable = "b", nn.role = "weight"},
                  %scale: tensor<f32> {nn.variable = "#loss_scale", nn.role = "counter"})
    -> (tensor<4x3xf32> {nn.variable = "w"}, tensor<3xf32> {nn.variable = "b"}) {
  %dy = nn.binary mul %y, %scale : tensor<2x3xf32>, tensor<f32>
  %db = nn.reduce sum %dy {axes = array<i64: 0>} : tensor<2x3xf32>
  %xt = nn.transpose %x [1, 0] : tensor<2x4xf32>
  %dw = nn.matmul %xt, %dy : tensor<4x2xf32>, tensor<2x3xf32>
  %w1 = nn.binary sub %w, %dw : tensor<4x3xf32>, tensor<4x3xf32>
  %b1 = nn.binary sub %b, %db : tensor<3xf32>, tensor<3xf32>
  return %w1, %b1 : tensor<4x3xf32>, tensor<3xf32>
}

// -----

// A filter is cast once, where it is first read: what is read transposed, by the gradient of the input, is made of that.

// CHECK-LABEL: func.func @filter(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<1x8x8x4xf32>, %[[W:[^ ,:()]+]]: tensor<3x3x4x4xf32>
// CHECK: nn.unary relu %[[X]] : tensor<1x8x8x4xf32>
// CHECK-NEXT: %[[RELU:[^ ,:()]+]] = nn.cast {{.*}} to tensor<1x8x8x4xf16>
// CHECK-NEXT: %[[NARROW:[^ ,:()]+]] = nn.cast %[[W]] : tensor<3x3x4x4xf32> to tensor<3x3x4x4xf16>
// CHECK-NEXT: nn.conv %[[RELU]], %[[NARROW]]
// CHECK-NOT: nn.cast %[[W]]
// CHECK: nn.transpose %[[NARROW]] [0, 1, 3, 2] : tensor<3x3x4x4xf16>
func.func @filter(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x4xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<1x4x4x4xf32> {nn.name = "y"}) {
  %0 = nn.unary relu %x : tensor<1x8x8x4xf32>
  %y = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>
  %wt = nn.transpose %w [0, 1, 3, 2] : tensor<3x3x4x4xf32>
  %z = nn.conv %y, %wt {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x6x6x4xf32>, tensor<3x3x4x4xf32>
  return %z : tensor<1x4x4x4xf32>
}

// -----

// Statistics of a batch are sums: they are wide, with the squares that only they read.

// CHECK-LABEL: func.func @statistics(
// CHECK: %[[RELU:[^ ,:()]+]] = nn.unary relu %{{.*}} : tensor<8x4xf16>
// CHECK: %[[WIDE:[^ ,:()]+]] = nn.cast %[[RELU]] : tensor<8x4xf16> to tensor<8x4xf32>
// CHECK: %[[SQUARE:[^ ,:()]+]] = nn.binary mul %[[WIDE]], %[[WIDE]] : tensor<8x4xf32>
// CHECK: %[[MEAN:[^ ,:()]+]] = nn.reduce mean %[[SQUARE]] {{.*}} : tensor<8x4xf32>
// CHECK: nn.binary add %{{[^ ,]+}}, %[[MEAN]] : tensor<4xf32>
func.func @statistics(%x: tensor<8x4xf32>, %w: tensor<8x4xf32> {nn.variable = "w", nn.role = "weight"},
                      %v: tensor<4xf32> {nn.variable = "v", nn.role = "statistic"})
    -> (tensor<8x4xf32> {nn.name = "y"}, tensor<4xf32> {nn.variable = "v"}) {
  %y = nn.unary relu %x : tensor<8x4xf32>
  %square = nn.binary mul %y, %y : tensor<8x4xf32>, tensor<8x4xf32>
  %mean = nn.reduce mean %square {axes = array<i64: 0>} : tensor<8x4xf32>
  %next = nn.binary add %v, %mean : tensor<4xf32>, tensor<4xf32>
  return %y, %next : tensor<8x4xf32>, tensor<4xf32>
}

// -----

// A function that trains nothing is narrowed as a whole, whatever it keeps.

// CHECK-LABEL: func.func @recurrent(
// CHECK: nn.binary add %{{.*}} : tensor<4xf16>, tensor<4xf16>
func.func @recurrent(%x: tensor<4xf32>, %s: tensor<4xf32> {nn.variable = "s"}) -> (tensor<4xf32> {nn.variable = "s"}) {
  %0 = nn.binary add %x, %s : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
