// RUN: nacre-opt %s --nacre-simplify-graph --split-input-file | FileCheck %s

// A filter is turned as codes, and its axis of scales with it.

// CHECK-LABEL: func.func @filter(
// CHECK:         %[[FILTER:[^ ,:()]+]] = nn.dequantize %{{.*}}, %{{.*}}, %{{.*}} {axis = 3 : i64} : tensor<2x2x3x4xi8>, tensor<4xf32>, tensor<i8>
// CHECK:         return %[[FILTER]]
func.func @filter() -> tensor<2x2x3x4xf32> {
  %codes = nn.constant dense<5> : tensor<4x3x2x2xi8>
  %scales = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = nn.constant dense<0> : tensor<i8>
  %0 = nn.dequantize %codes, %scales, %zero {axis = 0} : tensor<4x3x2x2xi8>, tensor<4xf32>, tensor<i8>
  %1 = nn.transpose %0 [2, 3, 1, 0] : tensor<4x3x2x2xf32>
  return %1 : tensor<2x2x3x4xf32>
}

// -----

// Scales of blocks are turned, too.

// CHECK-LABEL: func.func @blocks(
// CHECK-DAG:     %[[SCALES:[^ ,:()]+]] = nn.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK:         nn.dequantize %{{.*}}, %[[SCALES]], %{{.*}} {block = 3 : i64} : tensor<6x2xi8>, tensor<2x2xf32>, tensor<i8>
func.func @blocks() -> tensor<6x2xf32> {
  %codes = nn.constant dense<[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]> : tensor<2x6xi8>
  %scales = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zero = nn.constant dense<0> : tensor<i8>
  %0 = nn.dequantize %codes, %scales, %zero {axis = 1, block = 3} : tensor<2x6xi8>, tensor<2x2xf32>, tensor<i8>
  %1 = nn.transpose %0 [1, 0] : tensor<2x6xf32>
  return %1 : tensor<6x2xf32>
}

// -----

// A reshape leaves the axis of scales whole, or stays behind. A slice takes its part of the scales, and a gather leaves other axes.

// CHECK-LABEL: func.func @axes(
// CHECK-DAG:     %[[PART:[^ ,:()]+]] = nn.constant dense<[3.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG:     %[[WHOLE:[^ ,:()]+]] = nn.dequantize %{{.*}} {axis = 1 : i64} : tensor<2x3x4xi8>, tensor<3xf32>, tensor<i8>
// CHECK-DAG:     %[[SPLIT:[^ ,:()]+]] = nn.dequantize %{{.*}} {axis = 1 : i64} : tensor<2x3x2x2xi8>, tensor<3xf32>, tensor<i8>
// CHECK-DAG:     %[[MERGED:[^ ,:()]+]] = nn.reshape %[[WHOLE]] : tensor<2x3x4xf32> to tensor<6x4xf32>
// CHECK-DAG:     %[[SLICED:[^ ,:()]+]] = nn.dequantize %{{.*}}, %[[PART]], %{{.*}} {axis = 1 : i64} : tensor<1x2x4xi8>, tensor<2xf32>, tensor<i8>
// CHECK-DAG:     %[[PICKED:[^ ,:()]+]] = nn.dequantize %{{.*}} {axis = 2 : i64} : tensor<5x6x3x4xi8>, tensor<3xf32>, tensor<i8>
// CHECK:         return %[[SPLIT]], %[[MERGED]], %[[SLICED]], %[[PICKED]]
func.func @axes(%rows: tensor<5x6xi32>) -> (tensor<2x3x2x2xf32>, tensor<6x4xf32>, tensor<1x2x4xf32>, tensor<5x6x3x4xf32>) {
  %codes = nn.constant dense<5> : tensor<2x3x4xi8>
  %scales = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %zero = nn.constant dense<0> : tensor<i8>
  %x = nn.dequantize %codes, %scales, %zero {axis = 1} : tensor<2x3x4xi8>, tensor<3xf32>, tensor<i8>
  %0 = nn.reshape %x : tensor<2x3x4xf32> to tensor<2x3x2x2xf32>
  %1 = nn.reshape %x : tensor<2x3x4xf32> to tensor<6x4xf32>
  %2 = nn.slice %x [1, 2, 0] [1, 2, 4] [1, -1, 1] : tensor<2x3x4xf32>
  %3 = nn.gather %x, %rows {axis = 0} : tensor<2x3x4xf32>, tensor<5x6xi32>
  return %0, %1, %2, %3 : tensor<2x3x2x2xf32>, tensor<6x4xf32>, tensor<1x2x4xf32>, tensor<5x6x3x4xf32>
}

// -----

// What is only moved between codes of one scale is moved as codes; padding is the code of its number.

// CHECK-LABEL: func.func @moved(
// CHECK-SAME:    %[[X:[^ ,:()]+]]: tensor<1x4x4x2xui8>, %[[Y:[^ ,:()]+]]: tensor<1x2x2x2xui8>
// CHECK:         %[[PAD:[^ ,:()]+]] = nn.pad constant %[[X]] [0, 0, 0, 0] [0, 1, 1, 0] 7 : ui8
// CHECK:         %[[POOL:[^ ,:()]+]] = nn.pool max %[[PAD]] {{.*}} : tensor<1x5x5x2xui8>
// CHECK:         %[[BOTH:[^ ,:()]+]] = nn.concat %[[POOL]], %[[Y]] {axis = 3 : i64} : tensor<1x2x2x2xui8>, tensor<1x2x2x2xui8>
// CHECK-NEXT:    return %[[BOTH]]
func.func @moved(%x: tensor<1x4x4x2xui8>, %y: tensor<1x2x2x2xui8>) -> tensor<1x2x2x4xui8> {
  %scale = nn.constant dense<0.3> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %y, %scale, %zero : tensor<1x2x2x2xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.pad constant %0 [0, 0, 0, 0] [0, 1, 1, 0] 0.0 : f32 : tensor<1x4x4x2xf32>
  %3 = nn.pool max %2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x5x5x2xf32>
  %4 = nn.concat %3, %1 {axis = 3} : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
  %5 = nn.quantize %4, %scale, %zero : tensor<1x2x2x4xf32>, tensor<f32>, tensor<ui8>
  return %5 : tensor<1x2x2x4xui8>
}

// -----

// An average makes other reals. Another scale makes other codes. A number between two codes has none. What others read, too, is
// computed in floats anyway.

// CHECK-LABEL: func.func @refused(
// CHECK-COUNT-4: nn.quantize
// CHECK-NOT:     nn.quantize
// CHECK:         return
func.func @refused(%x: tensor<1x4x4x2xui8>, %other: tensor<f32>)
    -> (tensor<1x2x2x2xui8>, tensor<1x4x4x2xui8>, tensor<1x4x4x3xui8>, tensor<32xui8>, tensor<32xf32>) {
  %scale = nn.constant dense<0.25> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.pool average %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x2xf32>
  %2 = nn.quantize %1, %scale, %zero : tensor<1x2x2x2xf32>, tensor<f32>, tensor<ui8>
  %3 = nn.quantize %0, %other, %zero : tensor<1x4x4x2xf32>, tensor<f32>, tensor<ui8>
  %4 = nn.pad constant %0 [0, 0, 0, 0] [0, 0, 0, 1] 0.1 : f32 : tensor<1x4x4x2xf32>
  %5 = nn.quantize %4, %scale, %zero : tensor<1x4x4x3xf32>, tensor<f32>, tensor<ui8>
  %6 = nn.reshape %0 : tensor<1x4x4x2xf32> to tensor<32xf32>
  %7 = nn.quantize %6, %scale, %zero : tensor<32xf32>, tensor<f32>, tensor<ui8>
  return %2, %3, %5, %7, %6 : tensor<1x2x2x2xui8>, tensor<1x4x4x2xui8>, tensor<1x4x4x3xui8>, tensor<32xui8>, tensor<32xf32>
}
