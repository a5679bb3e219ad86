// RUN: nacre-opt %s --nacre-recognize-composites --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4x8xf32>)
// CHECK-NEXT:    %[[G:[^ ,:()]+]] = nn.unary gelu %[[X]]
// CHECK-NEXT:    return %[[G]]
func.func @documented_example(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %root = nn.constant dense<1.41421354> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.binary div %x, %root : tensor<4x8xf32>, tensor<f32>
  %1 = nn.unary erf %0 : tensor<4x8xf32>
  %2 = nn.binary add %1, %one : tensor<4x8xf32>, tensor<f32>
  %3 = nn.binary mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = nn.binary mul %3, %half : tensor<4x8xf32>, tensor<f32>
  return %4 : tensor<4x8xf32>
}

// -----

// The half may stand at x, and the root be a factor.

// CHECK-LABEL: func.func @gelu_associated_otherwise(
// CHECK-NEXT:    nn.unary gelu
// CHECK-NEXT:    return
func.func @gelu_associated_otherwise(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root = nn.constant dense<0.707106769> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.binary mul %root, %x : tensor<f32>, tensor<8xf32>
  %1 = nn.unary erf %0 : tensor<8xf32>
  %2 = nn.binary add %one, %1 : tensor<f32>, tensor<8xf32>
  %3 = nn.binary div %x, %two : tensor<8xf32>, tensor<f32>
  %4 = nn.binary mul %2, %3 : tensor<8xf32>, tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// Without the half, with another root, or of two different values, it is something else.

// CHECK-LABEL: func.func @almost_gelu(
// CHECK-NOT:     gelu
func.func @almost_gelu(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %root = nn.constant dense<0.707106769> : tensor<f32>
  %third = nn.constant dense<0.577350259> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.binary mul %x, %root : tensor<8xf32>, tensor<f32>
  %1 = nn.unary erf %0 : tensor<8xf32>
  %2 = nn.binary add %1, %one : tensor<8xf32>, tensor<f32>
  %3 = nn.binary mul %x, %2 : tensor<8xf32>, tensor<8xf32>
  %4 = nn.binary mul %y, %2 : tensor<8xf32>, tensor<8xf32>
  %5 = nn.binary mul %4, %half : tensor<8xf32>, tensor<f32>
  %6 = nn.binary mul %x, %third : tensor<8xf32>, tensor<f32>
  %7 = nn.unary erf %6 : tensor<8xf32>
  %8 = nn.binary add %7, %one : tensor<8xf32>, tensor<f32>
  %9 = nn.binary mul %x, %8 : tensor<8xf32>, tensor<8xf32>
  %10 = nn.binary mul %9, %half : tensor<8xf32>, tensor<f32>
  return %3, %5, %10 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// The square may be a power or a product; the scale and shift behind stay elementwise.

// CHECK-LABEL: func.func @layer_normalization(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8xf32>, %[[S:[^ :]+]]: tensor<8xf32>)
// CHECK-NEXT:    %[[N:[^ ,:()]+]] = nn.normalize %[[X]] {axes = array<i64: 1>, epsilon = 9.99{{.*}}E-6 : f64}
// CHECK-NEXT:    %[[M:[^ ,:()]+]] = nn.binary mul %[[N]], %[[S]]
// CHECK-NEXT:    return %[[M]]
func.func @layer_normalization(%x: tensor<2x8xf32>, %s: tensor<8xf32>) -> tensor<2x8xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %0 = nn.reduce mean %x {axes = array<i64: 1>, keep_dims} : tensor<2x8xf32>
  %1 = nn.binary sub %x, %0 : tensor<2x8xf32>, tensor<2x1xf32>
  %2 = nn.binary pow %1, %two : tensor<2x8xf32>, tensor<f32>
  %3 = nn.reduce mean %2 {axes = array<i64: 1>, keep_dims} : tensor<2x8xf32>
  %4 = nn.binary add %3, %epsilon : tensor<2x1xf32>, tensor<f32>
  %5 = nn.unary sqrt %4 : tensor<2x1xf32>
  %6 = nn.binary div %1, %5 : tensor<2x8xf32>, tensor<2x1xf32>
  %7 = nn.binary mul %6, %s : tensor<2x8xf32>, tensor<8xf32>
  return %7 : tensor<2x8xf32>
}

// -----

// A factor that is a reciprocal root does as well.

// CHECK-LABEL: func.func @by_reciprocal(
// CHECK:         nn.normalize %{{.*}} {axes = array<i64: 0, 1>
// CHECK-NEXT:    return
func.func @by_reciprocal(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %0 = nn.reduce mean %x {axes = array<i64: 0, 1>, keep_dims} : tensor<2x8xf32>
  %1 = nn.binary sub %x, %0 : tensor<2x8xf32>, tensor<1x1xf32>
  %2 = nn.binary mul %1, %1 : tensor<2x8xf32>, tensor<2x8xf32>
  %3 = nn.reduce mean %2 {axes = array<i64: 0, 1>, keep_dims} : tensor<2x8xf32>
  %4 = nn.binary add %epsilon, %3 : tensor<f32>, tensor<1x1xf32>
  %5 = nn.unary sqrt %4 : tensor<1x1xf32>
  %6 = nn.unary reciprocal %5 : tensor<1x1xf32>
  %7 = nn.binary mul %6, %1 : tensor<1x1xf32>, tensor<2x8xf32>
  return %7 : tensor<2x8xf32>
}

// -----

// The variance must be over the mean's axes, and of the centered value.

// CHECK-LABEL: func.func @other_axes(
// CHECK-NOT:     nn.normalize
func.func @other_axes(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %epsilon = nn.constant dense<1.0e-5> : tensor<f32>
  %0 = nn.reduce mean %x {axes = array<i64: 1>, keep_dims} : tensor<8x8xf32>
  %1 = nn.binary sub %x, %0 : tensor<8x8xf32>, tensor<8x1xf32>
  %2 = nn.binary mul %1, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  %3 = nn.reduce mean %2 {axes = array<i64: 0>, keep_dims} : tensor<8x8xf32>
  %4 = nn.binary add %3, %epsilon : tensor<1x8xf32>, tensor<f32>
  %5 = nn.unary sqrt %4 : tensor<1x8xf32>
  %6 = nn.binary div %1, %5 : tensor<8x8xf32>, tensor<1x8xf32>
  %7 = nn.binary mul %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %8 = nn.reduce mean %7 {axes = array<i64: 1>, keep_dims} : tensor<8x8xf32>
  %9 = nn.binary add %8, %epsilon : tensor<8x1xf32>, tensor<f32>
  %10 = nn.unary sqrt %9 : tensor<8x1xf32>
  %11 = nn.binary div %1, %10 : tensor<8x8xf32>, tensor<8x1xf32>
  return %6, %11 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// With or without the maximum subtracted: it cancels.

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8xf32>)
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.softmax %[[X]] {axis = 1 : i64}
// CHECK-NEXT:    %[[B:[^ ,:()]+]] = nn.softmax %[[X]] {axis = 0 : i64}
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @softmax(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = nn.reduce max %x {axes = array<i64: 1>, keep_dims} : tensor<2x8xf32>
  %1 = nn.binary sub %x, %0 : tensor<2x8xf32>, tensor<2x1xf32>
  %2 = nn.unary exp %1 : tensor<2x8xf32>
  %3 = nn.reduce sum %2 {axes = array<i64: 1>, keep_dims} : tensor<2x8xf32>
  %4 = nn.binary div %2, %3 : tensor<2x8xf32>, tensor<2x1xf32>
  %5 = nn.unary exp %x : tensor<2x8xf32>
  %6 = nn.reduce sum %5 {axes = array<i64: 0>, keep_dims} : tensor<2x8xf32>
  %7 = nn.binary div %5, %6 : tensor<2x8xf32>, tensor<1x8xf32>
  return %4, %7 : tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

// Blocks come to the batch, are convolved, and go back: a convolution whose window is wider. What is cut off was padded.

// CHECK-LABEL: func.func @dilated_convolution(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x5x6x3xf32>, %[[F:[^ :]+]]: tensor<3x3x3x4xf32>)
// CHECK-NEXT:    %[[Y:[^ ,:()]+]] = nn.conv %[[X]], %[[F]] {dilations = array<i64: 2, 2>, groups = 1 : i64, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>}
// CHECK-NEXT:    return %[[Y]]
func.func @dilated_convolution(%x: tensor<1x5x6x3xf32>, %f: tensor<3x3x3x4xf32>) -> tensor<1x5x6x4xf32> {
  %0 = nn.pad constant %x [0, 2, 2, 0] [0, 3, 2, 0] 0.0 : f32 : tensor<1x5x6x3xf32>
  %1 = nn.reshape %0 : tensor<1x10x10x3xf32> to tensor<1x5x2x5x2x3xf32>
  %2 = nn.transpose %1 [2, 4, 0, 1, 3, 5] : tensor<1x5x2x5x2x3xf32>
  %3 = nn.reshape %2 : tensor<2x2x1x5x5x3xf32> to tensor<4x5x5x3xf32>
  %4 = nn.conv %3, %f {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<4x5x5x3xf32>, tensor<3x3x3x4xf32>
  %5 = nn.reshape %4 : tensor<4x3x3x4xf32> to tensor<2x2x1x3x3x4xf32>
  %6 = nn.transpose %5 [2, 3, 0, 4, 1, 5] : tensor<2x2x1x3x3x4xf32>
  %7 = nn.reshape %6 : tensor<1x3x2x3x2x4xf32> to tensor<1x6x6x4xf32>
  %8 = nn.slice %7 [0, 0, 0, 0] [1, 5, 6, 4] [1, 1, 1, 1] : tensor<1x6x6x4xf32>
  return %8 : tensor<1x5x6x4xf32>
}

// -----

// Along rows alone; the phases have pads of their own, and what is cut off beyond them stays cut off.

// CHECK-LABEL: func.func @dilated_rows(
// CHECK:         %[[Y:[^ ,:()]+]] = nn.conv %{{.*}} {dilations = array<i64: 4, 1>, groups = 3 : i64, pads = array<i64: 2, 1, 0, 0>, strides = array<i64: 1, 1>} : tensor<2x8x6x3xf32>
// CHECK-NEXT:    nn.slice %[[Y]] [0, 3, 0, 0] [2, 2, 6, 3]
func.func @dilated_rows(%x: tensor<2x8x6x3xf32>, %f: tensor<2x2x1x3xf32>) -> tensor<2x2x6x3xf32> {
  %1 = nn.reshape %x : tensor<2x8x6x3xf32> to tensor<2x4x2x6x3xf32>
  %2 = nn.transpose %1 [2, 0, 1, 3, 4] : tensor<2x4x2x6x3xf32>
  %3 = nn.reshape %2 : tensor<2x2x4x6x3xf32> to tensor<4x4x6x3xf32>
  %4 = nn.conv %3, %f {dilations = array<i64: 2, 1>, groups = 3 : i64, pads = array<i64: 1, 1, 0, 0>, strides = array<i64: 1, 1>} : tensor<4x4x6x3xf32>, tensor<2x2x1x3xf32>
  %5 = nn.reshape %4 : tensor<4x3x6x3xf32> to tensor<2x2x3x6x3xf32>
  %6 = nn.transpose %5 [1, 2, 0, 3, 4] : tensor<2x2x3x6x3xf32>
  %7 = nn.reshape %6 : tensor<2x3x2x6x3xf32> to tensor<2x6x6x3xf32>
  %8 = nn.slice %7 [0, 3, 0, 0] [2, 2, 6, 3] [1, 1, 1, 1] : tensor<2x6x6x3xf32>
  return %8 : tensor<2x2x6x3xf32>
}

// -----

// A stride within the phases is none of the whole, and other blocks do not bring the phases back.

// CHECK-LABEL: func.func @no_dilated_convolution(
// CHECK:         nn.transpose
// CHECK:         nn.conv {{.*}} : tensor<4x5x5x3xf32>
// CHECK:         nn.transpose
// CHECK:         nn.conv {{.*}} : tensor<2x10x5x3xf32>
// CHECK:         nn.transpose
func.func @no_dilated_convolution(%x: tensor<1x10x10x3xf32>, %f: tensor<1x1x3x4xf32>) -> (tensor<1x6x6x4xf32>, tensor<1x20x5x4xf32>) {
  %1 = nn.reshape %x : tensor<1x10x10x3xf32> to tensor<1x5x2x5x2x3xf32>
  %2 = nn.transpose %1 [2, 4, 0, 1, 3, 5] : tensor<1x5x2x5x2x3xf32>
  %3 = nn.reshape %2 : tensor<2x2x1x5x5x3xf32> to tensor<4x5x5x3xf32>
  %4 = nn.conv %3, %f {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<4x5x5x3xf32>, tensor<1x1x3x4xf32>
  %5 = nn.reshape %4 : tensor<4x3x3x4xf32> to tensor<2x2x1x3x3x4xf32>
  %6 = nn.transpose %5 [2, 3, 0, 4, 1, 5] : tensor<2x2x1x3x3x4xf32>
  %7 = nn.reshape %6 : tensor<1x3x2x3x2x4xf32> to tensor<1x6x6x4xf32>
  %11 = nn.reshape %x : tensor<1x10x10x3xf32> to tensor<1x10x5x2x3xf32>
  %12 = nn.transpose %11 [3, 0, 1, 2, 4] : tensor<1x10x5x2x3xf32>
  %13 = nn.reshape %12 : tensor<2x1x10x5x3xf32> to tensor<2x10x5x3xf32>
  %14 = nn.conv %13, %f {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<2x10x5x3xf32>, tensor<1x1x3x4xf32>
  %15 = nn.reshape %14 : tensor<2x10x5x4xf32> to tensor<2x1x10x5x4xf32>
  %16 = nn.transpose %15 [1, 2, 0, 3, 4] : tensor<2x1x10x5x4xf32>
  %17 = nn.reshape %16 : tensor<1x10x2x5x4xf32> to tensor<1x20x5x4xf32>
  return %7, %17 : tensor<1x6x6x4xf32>, tensor<1x20x5x4xf32>
}
