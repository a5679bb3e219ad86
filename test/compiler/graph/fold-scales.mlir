// RUN: nacre-opt %s --nacre-fold-scales --nacre-fold-constants --canonicalize --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4x2xf32>)
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<{{\[}}[3.000000e+00, 4.000000e+00], [3.000000e+00, 4.000000e+00]]>
// CHECK-DAG:     %[[B:[^ ,:()]+]] = nn.constant dense<[3.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.matmul %[[X]], %[[W]]
// CHECK-NEXT:    %[[S:[^ ,:()]+]] = nn.binary add %[[P]], %[[B]]
// CHECK-NEXT:    return %[[S]]
func.func @documented_example(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2xf32>
  %b = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = nn.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = nn.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32>
  %1 = nn.binary add %0, %b : tensor<4x2xf32>, tensor<2xf32>
  %2 = nn.binary mul %1, %s : tensor<4x2xf32>, tensor<2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// Batch normalization as exporters write it: ((conv - mean) / deviation) * scale + shift, (1 - 2) / 4 * 8 + 16 = 14.

// CHECK-LABEL: func.func @batch_normalization(
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<2.000000e+00> : tensor<1x1x3x2xf32>
// CHECK-DAG:     %[[B:[^ ,:()]+]] = nn.constant dense<[1.400000e+01, 1.200000e+01]> : tensor<2xf32>
// CHECK:         %[[C:[^ ,:()]+]] = nn.conv %{{.*}}, %[[W]]
// CHECK-NEXT:    %[[S:[^ ,:()]+]] = nn.binary add %[[C]], %[[B]]
// CHECK-NEXT:    return %[[S]]
func.func @batch_normalization(%x: tensor<1x4x4x3xf32>) -> tensor<1x4x4x2xf32> {
  %w = nn.constant dense<1.0> : tensor<1x1x3x2xf32>
  %bias = nn.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %mean = nn.constant dense<2.0> : tensor<1x1x1x2xf32>
  %deviation = nn.constant dense<4.0> : tensor<1x1x1x2xf32>
  %scale = nn.constant dense<8.0> : tensor<1x1x1x2xf32>
  %shift = nn.constant dense<16.0> : tensor<f32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x4x4x3xf32>, tensor<1x1x3x2xf32>
  %1 = nn.binary add %bias, %0 : tensor<2xf32>, tensor<1x4x4x2xf32>
  %2 = nn.binary sub %1, %mean : tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>
  %3 = nn.binary div %2, %deviation : tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>
  %4 = nn.binary mul %3, %scale : tensor<1x4x4x2xf32>, tensor<1x1x1x2xf32>
  %5 = nn.binary add %4, %shift : tensor<1x4x4x2xf32>, tensor<f32>
  return %5 : tensor<1x4x4x2xf32>
}

// -----

// A factor per row is not one per channel; a product used twice keeps its value; an activation between ends the chain.

// CHECK-LABEL: func.func @must_stay(
// CHECK:         nn.binary mul
// CHECK:         nn.binary mul
// CHECK:         nn.binary mul
// CHECK:         nn.binary div
func.func @must_stay(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
                                              tensor<2x2xf32>) {
  %w = nn.constant dense<1.0> : tensor<2x2xf32>
  %row = nn.constant dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  %s = nn.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = nn.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = nn.binary mul %0, %row : tensor<2x2xf32>, tensor<2x1xf32>
  %2 = nn.unary tanh %x : tensor<2x2xf32>
  %3 = nn.matmul %2, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %4 = nn.binary mul %3, %s : tensor<2x2xf32>, tensor<2xf32>
  %5 = nn.unary relu %x : tensor<2x2xf32>
  %6 = nn.matmul %5, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %7 = nn.unary relu %6 : tensor<2x2xf32>
  %8 = nn.binary mul %7, %s : tensor<2x2xf32>, tensor<2xf32>
  %9 = nn.binary div %2, %s : tensor<2x2xf32>, tensor<2xf32>
  return %1, %3, %4, %8, %9 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Small weights that two products share are copied for the one that is scaled.

// CHECK-LABEL: func.func @shared_weights(
// CHECK-DAG:     nn.constant dense<1.000000e+00> : tensor<2x2xf32>
// CHECK-DAG:     nn.constant dense<2.000000e+00> : tensor<2x2xf32>
// CHECK-NOT:     nn.binary mul
func.func @shared_weights(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = nn.constant dense<1.0> : tensor<2x2xf32>
  %s = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = nn.matmul %y, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = nn.binary mul %s, %1 : tensor<f32>, tensor<2x2xf32>
  return %0, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// A transposed convolution's filter has its output channels last as well.

// CHECK-LABEL: func.func @transposed_convolution(
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<{{.*}}[2.000000e+00, 3.000000e+00]{{.*}}> : tensor<2x1x2xf32>
// CHECK:         %[[Y:[^ ,:()]+]] = nn.conv_transpose %{{.*}}, %[[W]]
// CHECK-NEXT:    return %[[Y]]
func.func @transposed_convolution(%x: tensor<1x4x1xf32>) -> tensor<1x8x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x1x2xf32>
  %s = nn.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : tensor<1x4x1xf32>, tensor<2x1x2xf32>
  %1 = nn.binary mul %0, %s : tensor<1x8x2xf32>, tensor<2xf32>
  return %1 : tensor<1x8x2xf32>
}
