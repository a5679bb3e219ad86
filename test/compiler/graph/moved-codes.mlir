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
