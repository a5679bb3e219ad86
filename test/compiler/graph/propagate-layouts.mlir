// RUN: nacre-opt %s --nacre-propagate-layouts --canonicalize --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x8x8x3xf32>)
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %[[X]]
// CHECK-NEXT:    %[[M:[^ ,:()]+]] = nn.reduce mean %[[R]] {axes = array<i64: 1, 2>, keep_dims}
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.binary mul %[[R]], %[[M]] : tensor<1x8x8x3xf32>, tensor<1x1x1x3xf32>
// CHECK-NEXT:    return %[[P]]
func.func @documented_example(%x: tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32> {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<1x8x8x3xf32>
  %1 = nn.unary relu %0 : tensor<1x3x8x8xf32>
  %2 = nn.reduce mean %1 {axes = array<i64: 2, 3>, keep_dims} : tensor<1x3x8x8xf32>
  %3 = nn.binary mul %1, %2 : tensor<1x3x8x8xf32>, tensor<1x3x1x1xf32>
  %4 = nn.transpose %3 [0, 2, 3, 1] : tensor<1x3x8x8xf32>
  return %4 : tensor<1x8x8x3xf32>
}

// -----

// Every attribute that names axes follows them.

// CHECK-LABEL: func.func @attributes_follow(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8x6x3xf32>, %[[I:[^ :]+]]: tensor<4xi64>)
// CHECK-NEXT:    %[[CONCAT:[^ ,:()]+]] = nn.concat %[[X]], %[[X]] {axis = 3 : i64}
// CHECK-NEXT:    %[[PAD:[^ ,:()]+]] = nn.pad constant %[[CONCAT]] [0, 1, 2, 0] [0, 3, 4, 5]
// CHECK-NEXT:    %[[SLICE:[^ ,:()]+]] = nn.slice %[[PAD]] [0, 1, 0, 9] [2, 10, 6, 5] [1, 1, 2, -2]
// CHECK-NEXT:    %[[SOFTMAX:[^ ,:()]+]] = nn.softmax %[[SLICE]] {axis = 3 : i64}
// CHECK-NEXT:    %[[NORMALIZE:[^ ,:()]+]] = nn.normalize %[[SOFTMAX]] {axes = array<i64: 1, 2>
// CHECK-NEXT:    %[[GATHER:[^ ,:()]+]] = nn.gather %[[NORMALIZE]], %[[I]] {axis = 2 : i64}
// CHECK-NEXT:    %[[RESAMPLE:[^ ,:()]+]] = nn.resample %[[GATHER]] {axes = array<i64: 1, 3>, indices = [dense<{{.*}}> : tensor<20x1xi32>, dense<{{.*}}> : tensor<2x1xi32>]
// CHECK-NEXT:    return %[[RESAMPLE]]
func.func @attributes_follow(%x: tensor<2x8x6x3xf32>, %i: tensor<4xi64>) -> tensor<2x20x4x2xf32> {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<2x8x6x3xf32>
  %1 = nn.concat %0, %0 {axis = 1} : tensor<2x3x8x6xf32>, tensor<2x3x8x6xf32>
  %2 = nn.pad constant %1 [0, 0, 1, 2] [0, 5, 3, 4] 0.0 : f32 : tensor<2x6x8x6xf32>
  %3 = nn.slice %2 [0, 9, 1, 0] [2, 5, 10, 6] [1, -2, 1, 2] : tensor<2x11x12x12xf32>
  %4 = nn.softmax %3 {axis = 1} : tensor<2x5x10x6xf32>
  %5 = nn.normalize %4 {axes = array<i64: 2, 3>, epsilon = 1.0e-5} : tensor<2x5x10x6xf32>
  %6 = nn.gather %5, %i {axis = 3} : tensor<2x5x10x6xf32>, tensor<4xi64>
  %7 = nn.resample %6 {axes = array<i64: 1, 2>, indices = [dense<[[0], [4]]> : tensor<2x1xi32>, dense<1> : tensor<20x1xi32>],
      weights = [dense<1.0> : tensor<2x1xf32>, dense<1.0> : tensor<20x1xf32>]} : tensor<2x5x10x4xf32>
  %8 = nn.transpose %7 [0, 2, 3, 1] : tensor<2x2x20x4xf32>
  return %8 : tensor<2x20x4x2xf32>
}

// -----

// A constant of lower rank is transposed under leading ones; so is another value, if that is cheaper than the rest.

// CHECK-LABEL: func.func @lower_ranks(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8x6x3xf32>, %[[Y:[^ :]+]]: tensor<8x6xf32>)
// CHECK-DAG:     %[[C:[^ ,:()]+]] = nn.constant dense<{{.*}}1.000000e+00, 2.000000e+00, 3.000000e+00{{.*}}> : tensor<1x1x1x3xf32>
// CHECK-DAG:     %[[S:[^ ,:()]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG:     %[[A:[^ ,:()]+]] = nn.binary add %[[X]], %[[C]] : tensor<2x8x6x3xf32>, tensor<1x1x1x3xf32>
// CHECK-DAG:     %[[YR:[^ ,:()]+]] = nn.reshape %[[Y]] : tensor<8x6xf32> to tensor<1x1x8x6xf32>
// CHECK-DAG:     %[[YT:[^ ,:()]+]] = nn.transpose %[[YR]] [0, 2, 3, 1]
// CHECK:         %[[B:[^ ,:()]+]] = nn.binary mul %[[A]], %[[YT]] : tensor<2x8x6x3xf32>, tensor<1x8x6x1xf32>
// CHECK:         %[[D:[^ ,:()]+]] = nn.binary mul %[[B]], %[[S]]
// CHECK:         return %[[D]]
func.func @lower_ranks(%x: tensor<2x8x6x3xf32>, %y: tensor<8x6xf32>) -> tensor<2x8x6x3xf32> {
  %c = nn.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %s = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<2x8x6x3xf32>
  %1 = nn.binary add %0, %c : tensor<2x3x8x6xf32>, tensor<3x1x1xf32>
  %2 = nn.binary mul %1, %y : tensor<2x3x8x6xf32>, tensor<8x6xf32>
  %3 = nn.binary mul %2, %s : tensor<2x3x8x6xf32>, tensor<f32>
  %4 = nn.transpose %3 [0, 2, 3, 1] : tensor<2x3x8x6xf32>
  return %4 : tensor<2x8x6x3xf32>
}

// -----

// Reshapes follow where what they merge stays together: a channel shuffle needs no transpose of the image.

// CHECK-LABEL: func.func @reshapes_follow(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8x6x4xf32>)
// CHECK-NEXT:    %[[SPLIT:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<2x8x6x4xf32> to tensor<2x8x6x2x2xf32>
// CHECK-NEXT:    %[[SHUFFLE:[^ ,:()]+]] = nn.transpose %[[SPLIT]] [0, 1, 2, 4, 3]
// CHECK-NEXT:    %[[JOIN:[^ ,:()]+]] = nn.reshape %[[SHUFFLE]] : tensor<2x8x6x2x2xf32> to tensor<2x8x6x4xf32>
// CHECK-NEXT:    return %[[JOIN]]
func.func @reshapes_follow(%x: tensor<2x8x6x4xf32>) -> tensor<2x8x6x4xf32> {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<2x8x6x4xf32>
  %1 = nn.reshape %0 : tensor<2x4x8x6xf32> to tensor<2x2x2x8x6xf32>
  %2 = nn.transpose %1 [0, 2, 1, 3, 4] : tensor<2x2x2x8x6xf32>
  %3 = nn.reshape %2 : tensor<2x2x2x8x6xf32> to tensor<2x4x8x6xf32>
  %4 = nn.transpose %3 [0, 2, 3, 1] : tensor<2x4x8x6xf32>
  return %4 : tensor<2x8x6x4xf32>
}

// -----

// A reduction that drops its axes ends the region without a transpose.

// CHECK-LABEL: func.func @dropped_axes(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8x6x3xf32>)
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %[[X]]
// CHECK-NEXT:    %[[M:[^ ,:()]+]] = nn.reduce max %[[R]] {axes = array<i64: 1, 2>} : tensor<2x8x6x3xf32>
// CHECK-NEXT:    return %[[M]]
func.func @dropped_axes(%x: tensor<2x8x6x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<2x8x6x3xf32>
  %1 = nn.unary relu %0 : tensor<2x3x8x6xf32>
  %2 = nn.reduce max %1 {axes = array<i64: 2, 3>} : tensor<2x3x8x6xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// A result that is also asked for in its own order is transposed back once, as the region's only transpose.

// CHECK-LABEL: func.func @other_use_outside(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x8x6x3xf32>)
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %[[X]]
// CHECK-NEXT:    %[[T:[^ ,:()]+]] = nn.transpose %[[R]] [0, 3, 1, 2]
// CHECK-NEXT:    return %[[T]], %[[R]]
func.func @other_use_outside(%x: tensor<2x8x6x3xf32>) -> (tensor<2x3x8x6xf32>, tensor<2x8x6x3xf32>) {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<2x8x6x3xf32>
  %1 = nn.unary relu %0 : tensor<2x3x8x6xf32>
  %2 = nn.transpose %1 [0, 2, 3, 1] : tensor<2x3x8x6xf32>
  return %1, %2 : tensor<2x3x8x6xf32>, tensor<2x8x6x3xf32>
}

// -----

// Nothing is gained by moving a transpose from one side to the other, so nothing moves.

// CHECK-LABEL: func.func @no_gain(
// CHECK-NEXT:    nn.transpose
// CHECK-NEXT:    nn.unary relu
// CHECK-NEXT:    return
func.func @no_gain(%x: tensor<2x8x6x3xf32>) -> tensor<2x3x8x6xf32> {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<2x8x6x3xf32>
  %1 = nn.unary relu %0 : tensor<2x3x8x6xf32>
  return %1 : tensor<2x3x8x6xf32>
}

// -----

// An image that would have to be transposed for a smaller one to be spared decides.

// CHECK-LABEL: func.func @larger_side_wins(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x8x6x3xf32>, %[[Y:[^ :]+]]: tensor<4x3x8x6xf32>)
// CHECK-NEXT:    nn.transpose %[[X]]
// CHECK-NEXT:    nn.binary add
// CHECK-NEXT:    return
func.func @larger_side_wins(%x: tensor<1x8x6x3xf32>, %y: tensor<4x3x8x6xf32>) -> tensor<4x3x8x6xf32> {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<1x8x6x3xf32>
  %1 = nn.binary add %0, %y : tensor<1x3x8x6xf32>, tensor<4x3x8x6xf32>
  return %1 : tensor<4x3x8x6xf32>
}

// -----

// A transpose before a product is free, so the scale moves to the other side of it.

// CHECK-LABEL: func.func @products_read_with_strides(
// CHECK-SAME:    %[[Q:[^ :]+]]: tensor<1x7x2x4xf32>,
// CHECK:         %[[S:[^ ,:()]+]] = nn.binary mul %[[Q]], %{{.*}} : tensor<1x7x2x4xf32>, tensor<f32>
// CHECK-NEXT:    %[[T:[^ ,:()]+]] = nn.transpose %[[S]] [0, 2, 1, 3]
// CHECK-NEXT:    nn.matmul %[[T]]
func.func @products_read_with_strides(%q: tensor<1x7x2x4xf32>, %k: tensor<1x2x4x7xf32>) -> tensor<1x2x7x7xf32> {
  %c = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.transpose %q [0, 2, 1, 3] : tensor<1x7x2x4xf32>
  %1 = nn.binary mul %0, %c : tensor<1x2x7x4xf32>, tensor<f32>
  %2 = nn.matmul %1, %k : tensor<1x2x7x4xf32>, tensor<1x2x4x7xf32>
  return %2 : tensor<1x2x7x7xf32>
}

// -----

// A residual network: both branches and the sum between convolutions change together.

// CHECK-LABEL: func.func @residual(
// CHECK:         nn.conv
// CHECK-NOT:     nn.transpose
// CHECK:         return
func.func @residual(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x8x8x4xf32>, tensor<1x1x4x4xf32>
  %1 = nn.transpose %0 [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %2 = nn.unary relu %1 : tensor<1x4x8x8xf32>
  %3 = nn.transpose %2 [0, 2, 3, 1] : tensor<1x4x8x8xf32>
  %4 = nn.conv %3, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x8x8x4xf32>, tensor<1x1x4x4xf32>
  %5 = nn.transpose %4 [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %6 = nn.binary add %5, %2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
  %7 = nn.transpose %6 [0, 2, 3, 1] : tensor<1x4x8x8xf32>
  return %7 : tensor<1x8x8x4xf32>
}

// -----

// Inside of a loop transposes cancel as elsewhere; what comes from around it is transposed once, but for a branch in the branch.
// CHECK-LABEL: func.func @inside_of_regions(
// CHECK: %[[B:[^ ,:()]+]] = nn.transpose %arg1 [0, 2, 3, 1]
// CHECK: nn.for 5
// CHECK-NOT: nn.transpose
// CHECK: nn.binary add %{{.*}}, %[[B]]
// CHECK-NEXT: nn.unary relu
// CHECK-NEXT: nn.yield
// CHECK: nn.if
// CHECK-NEXT: nn.transpose %arg1 [0, 2, 3, 1]
// CHECK-NEXT: nn.binary mul
// CHECK-NEXT: nn.yield
func.func @inside_of_regions(%x: tensor<1x8x6x6xf32>, %b: tensor<1x8x6x6xf32>, %c: tensor<i1>, %f: tensor<1x1x8x8xf32>) -> (tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>) {
  %x0 = nn.transpose %x [0, 2, 3, 1] : tensor<1x8x6x6xf32>
  %last = nn.for 5 carried(%x0 : tensor<1x6x6x8xf32>) -> (tensor<1x6x6x8xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<1x6x6x8xf32>):
    %y = nn.conv %h, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1} : tensor<1x6x6x8xf32>, tensor<1x1x8x8xf32>
    %t = nn.transpose %y [0, 3, 1, 2] : tensor<1x6x6x8xf32>
    %s = nn.binary add %t, %b : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
    %r = nn.unary relu %s : tensor<1x8x6x6xf32>
    %back = nn.transpose %r [0, 2, 3, 1] : tensor<1x8x6x6xf32>
    nn.yield %back : tensor<1x6x6x8xf32>
  }
  %branch = nn.if %c : tensor<i1> -> (tensor<1x6x6x8xf32>) {
    %t = nn.transpose %last [0, 3, 1, 2] : tensor<1x6x6x8xf32>
    %s = nn.binary mul %t, %b : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
    %back = nn.transpose %s [0, 2, 3, 1] : tensor<1x8x6x6xf32>
    nn.yield %back : tensor<1x6x6x8xf32>
  } else {
    nn.yield %last : tensor<1x6x6x8xf32>
  }
  return %last, %branch : tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>
}

// -----

// Codes follow with their axis of scales, and blocks with what belongs to them; dequantized constants are turned for nothing.

// CHECK-LABEL: func.func @codes(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x8x8x4xf32>, %[[BLOCKS:[^ :]+]]: tensor<1x4x2x8xf32>)
// CHECK-DAG:     %[[Q:[^ ,:()]+]] = nn.quantize %[[X]], %{{.*}}, %{{.*}} {axis = 3 : i64} : tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<i8>
// CHECK-DAG:     %[[TURNED:[^ ,:()]+]] = nn.transpose %[[BLOCKS]] [0, 2, 3, 1]
// CHECK:         %[[Y:[^ ,:()]+]] = nn.dequantize %[[Q]], %[[TURNED]], %{{.*}} {axis = 1 : i64, block = 4 : i64} : tensor<1x8x8x4xi8>, tensor<1x2x8x4xf32>, tensor<i8>
// CHECK:         %[[SUM:[^ ,:()]+]] = nn.binary add %[[Y]], %{{.*}} : tensor<1x8x8x4xf32>, tensor<1x1x1x4xf32>
// CHECK:         %[[AGAIN:[^ ,:()]+]] = nn.quantize %[[SUM]], %{{.*}}, %{{.*}} : tensor<1x8x8x4xf32>, tensor<f32>, tensor<i8>
// CHECK:         return %[[AGAIN]]
func.func @codes(%x: tensor<1x8x8x4xf32>, %blocks: tensor<1x4x2x8xf32>) -> tensor<1x8x8x4xi8> {
  %scales = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<i8>
  %codes = nn.constant dense<[[[1]], [[2]], [[3]], [[4]]]> : tensor<4x1x1xi8>
  %bias = nn.dequantize %codes, %scale, %zero : tensor<4x1x1xi8>, tensor<f32>, tensor<i8>
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<1x8x8x4xf32>
  %1 = nn.quantize %0, %scales, %zero {axis = 1} : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<i8>
  %2 = nn.dequantize %1, %blocks, %zero {axis = 2, block = 4} : tensor<1x4x8x8xi8>, tensor<1x4x2x8xf32>, tensor<i8>
  %3 = nn.binary add %2, %bias : tensor<1x4x8x8xf32>, tensor<4x1x1xf32>
  %4 = nn.quantize %3, %scale, %zero : tensor<1x4x8x8xf32>, tensor<f32>, tensor<i8>
  %5 = nn.transpose %4 [0, 2, 3, 1] : tensor<1x4x8x8xi8>
  return %5 : tensor<1x8x8x4xi8>
}
