// RUN: nacre-opt %s --nacre-assign-engine --nacre-fuse-attention --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-fuse-attention=most-keys=7 --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: nacre-opt %s --nacre-fuse-attention=most-keys-on-gpu=7 --split-input-file | FileCheck %s --check-prefix=FEW

// The example of the pass's documentation: scaled, and masked.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[Q:[^ :]+]]: tensor<2x4x3xf32>, %[[K:[^ :]+]]: tensor<2x3x8xf32>, %[[V:[^ :]+]]: tensor<2x8x5xf32>, %[[M:[^ :]+]]: tensor<8xf32>)
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] {scale = 1.250000e-01 : f64}
// CHECK-NEXT:    return %[[A]]
// FEW-LABEL: func.func @documented_example(
// FEW-NOT:     nn.attention
func.func @documented_example(%q: tensor<2x4x3xf32>, %k: tensor<2x3x8xf32>, %v: tensor<2x8x5xf32>, %mask: tensor<8xf32>) -> tensor<2x4x5xf32> {
  %eight = nn.constant dense<8.0> : tensor<f32>
  %0 = nn.matmul %q, %k : tensor<2x4x3xf32>, tensor<2x3x8xf32>
  %1 = nn.binary div %0, %eight : tensor<2x4x8xf32>, tensor<f32>
  %2 = nn.binary add %1, %mask : tensor<2x4x8xf32>, tensor<8xf32>
  %3 = nn.softmax %2 {axis = 2 : i64} : tensor<2x4x8xf32>
  %4 = nn.matmul %3, %v : tensor<2x4x8xf32>, tensor<2x8x5xf32>
  return %4 : tensor<2x4x5xf32>
}

// -----

// Neither a factor nor a mask; heads share keys and values.

// CHECK-LABEL: func.func @plain(
// CHECK-NEXT:    nn.attention %arg0, %arg1, %arg2 {scale = 1.000000e+00 : f64} : tensor<6x4x3xf32>, tensor<3x8xf32>, tensor<8x5xf32>
func.func @plain(%q: tensor<6x4x3xf32>, %k: tensor<3x8xf32>, %v: tensor<8x5xf32>) -> tensor<6x4x5xf32> {
  %0 = nn.matmul %q, %k : tensor<6x4x3xf32>, tensor<3x8xf32>
  %1 = nn.softmax %0 {axis = 2 : i64} : tensor<6x4x8xf32>
  %2 = nn.matmul %1, %v : tensor<6x4x8xf32>, tensor<8x5xf32>
  return %2 : tensor<6x4x5xf32>
}

// -----

// Somebody else reads the weights; the softmax is along another axis; its scores are no product.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     nn.attention
// CHECK:         return
func.func @others(%q: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = nn.matmul %q, %v : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<4x4xf32>
  %2 = nn.matmul %1, %v : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = nn.matmul %v, %q : tensor<4x4xf32>, tensor<4x4xf32>
  %4 = nn.softmax %3 {axis = 0 : i64} : tensor<4x4xf32>
  %5 = nn.matmul %4, %v : tensor<4x4xf32>, tensor<4x4xf32>
  %6 = nn.softmax %q {axis = 1 : i64} : tensor<4x4xf32>
  %7 = nn.matmul %6, %v : tensor<4x4xf32>, tensor<4x4xf32>
  return %1, %2, %5, %7 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Values of more batches than scores would compute these again for each.

// CHECK-LABEL: func.func @more_values(
// CHECK-NOT:     nn.attention
// CHECK:         return
func.func @more_values(%q: tensor<4x3xf32>, %k: tensor<3x8xf32>, %v: tensor<2x8x5xf32>) -> tensor<2x4x5xf32> {
  %0 = nn.matmul %q, %k : tensor<4x3xf32>, tensor<3x8xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<4x8xf32>
  %2 = nn.matmul %1, %v : tensor<4x8xf32>, tensor<2x8x5xf32>
  return %2 : tensor<2x4x5xf32>
}

// -----

// A transpose after the quantization of sums of codes moves up to the sums.

// FEW-LABEL: func.func @transposed_codes(
// CHECK-LABEL: func.func @transposed_codes(
// CHECK:         %[[A:[^ ,:()]+]] = nn.attention
// CHECK-NEXT:    %[[T:[^ ,:()]+]] = nn.transpose %[[A]] [1, 0, 2] : tensor<2x4x5xi32>
// CHECK-NEXT:    %[[F:[^ ,:()]+]] = nn.cast %[[T]] : tensor<4x2x5xi32> to tensor<4x2x5xf32>
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary round %[[F]] : tensor<4x2x5xf32>
// CHECK-NEXT:    %[[C:[^ ,:()]+]] = nn.cast %[[R]] : tensor<4x2x5xf32> to tensor<4x2x5xi8>
// CHECK-NEXT:    return %[[C]]
func.func @transposed_codes(%q: tensor<2x4x4xui8>, %k: tensor<2x4x8xi8>, %v: tensor<2x8x5xi8>) -> tensor<4x2x5xi8> {
  %0 = nn.attention %q, %k, %v {codes = [#nn.codes<0.5, 120>, #nn.codes<0.25, -3>, #nn.codes<0.00390625, 0>, #nn.codes<0.125, 5>], scale = 0.5 : f64}
    : tensor<2x4x4xui8>, tensor<2x4x8xi8>, tensor<2x8x5xi8>
  %1 = nn.cast %0 : tensor<2x4x5xi32> to tensor<2x4x5xf32>
  %2 = nn.unary round %1 : tensor<2x4x5xf32>
  %3 = nn.cast %2 : tensor<2x4x5xf32> to tensor<2x4x5xi8>
  %4 = nn.transpose %3 [1, 0, 2] : tensor<2x4x5xi8>
  return %4 : tensor<4x2x5xi8>
}
