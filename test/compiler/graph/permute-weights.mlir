// RUN: nacre-opt %s --nacre-permute-weights --nacre-fold-constants --canonicalize --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x2x2x3xf32>)
// CHECK-NEXT:    %[[W:[^ ,:()]+]] = nn.constant dense<5.000000e-01> : tensor<12x5xf32>
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<1x2x2x3xf32> to tensor<1x12xf32>
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.matmul %[[R]], %[[W]]
// CHECK-NEXT:    return %[[P]]
func.func @documented_example(%x: tensor<1x2x2x3xf32>) -> tensor<1x5xf32> {
  %w = nn.constant dense<0.5> : tensor<12x5xf32>
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<1x2x2x3xf32>
  %1 = nn.reshape %0 : tensor<1x3x2x2xf32> to tensor<1x12xf32>
  %2 = nn.matmul %1, %w : tensor<1x12xf32>, tensor<12x5xf32>
  return %2 : tensor<1x5xf32>
}

// -----

// Element (h, c) of x is row c*2 + h of the old weights and row h*3 + c of the new ones.

// CHECK-LABEL: func.func @rows_move(
// CHECK:         nn.constant dense<{{\[}}[0], [2], [4], [1], [3], [5]]> : tensor<6x1xi32>
// CHECK-NOT:     nn.transpose
func.func @rows_move(%x: tensor<7x2x3xi32>) -> tensor<7x1xi32> {
  %w = nn.constant dense<[[0], [1], [2], [3], [4], [5]]> : tensor<6x1xi32>
  %0 = nn.transpose %x [0, 2, 1] : tensor<7x2x3xi32>
  %1 = nn.reshape %0 : tensor<7x3x2xi32> to tensor<7x6xi32>
  %2 = nn.matmul %1, %w : tensor<7x6xi32>, tensor<6x1xi32>
  return %2 : tensor<7x1xi32>
}

// -----

// A cycle of three axes: the inverse permutation, not the permutation itself, orders the rows. Rows of (h, w, c), of
// extents 2, 3 and 2, were at c*6 + h*3 + w.

// CHECK-LABEL: func.func @rows_move_in_a_cycle(
// CHECK:         nn.constant dense<{{\[}}[0], [6], [1], [7], [2], [8], [3], [9], [4], [10], [5], [11]]> : tensor<12x1xi32>
func.func @rows_move_in_a_cycle(%x: tensor<7x2x3x2xi32>) -> tensor<7x1xi32> {
  %w = nn.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11]]> : tensor<12x1xi32>
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<7x2x3x2xi32>
  %1 = nn.reshape %0 : tensor<7x2x2x3xi32> to tensor<7x12xi32>
  %2 = nn.matmul %1, %w : tensor<7x12xi32>, tensor<12x1xi32>
  return %2 : tensor<7x1xi32>
}

// -----

// The transpose stays where it reorders rows of the result too, where the flattened value is used elsewhere, and where the
// weights are not constant.

// CHECK-LABEL: func.func @must_stay(
// CHECK:         nn.transpose
// CHECK:         nn.transpose
// CHECK:         nn.transpose
func.func @must_stay(%x: tensor<2x3x4xf32>, %v: tensor<12x5xf32>)
    -> (tensor<3x5xf32>, tensor<2x5xf32>, tensor<2x12xf32>, tensor<2x5xf32>) {
  %w = nn.constant dense<0.5> : tensor<12x5xf32>
  %u = nn.constant dense<0.5> : tensor<8x5xf32>
  %0 = nn.transpose %x [1, 0, 2] : tensor<2x3x4xf32>
  %1 = nn.reshape %0 : tensor<3x2x4xf32> to tensor<3x8xf32>
  %2 = nn.matmul %1, %u : tensor<3x8xf32>, tensor<8x5xf32>
  %3 = nn.transpose %x [0, 2, 1] : tensor<2x3x4xf32>
  %4 = nn.reshape %3 : tensor<2x4x3xf32> to tensor<2x12xf32>
  %5 = nn.matmul %4, %w : tensor<2x12xf32>, tensor<12x5xf32>
  %6 = nn.transpose %x [0, 2, 1] : tensor<2x3x4xf32>
  %7 = nn.reshape %6 : tensor<2x4x3xf32> to tensor<2x12xf32>
  %8 = nn.matmul %7, %v : tensor<2x12xf32>, tensor<12x5xf32>
  return %2, %5, %4, %8 : tensor<3x5xf32>, tensor<2x5xf32>, tensor<2x12xf32>, tensor<2x5xf32>
}

// -----

// Dequantized weights are constant, too.

// CHECK-LABEL: func.func @codes(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x2x2x3xf32>)
// CHECK-DAG:     %[[R:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<1x2x2x3xf32> to tensor<1x12xf32>
// CHECK:         nn.matmul %[[R]], %
func.func @codes(%x: tensor<1x2x2x3xf32>) -> tensor<1x5xf32> {
  %codes = nn.constant dense<5> : tensor<12x5xi8>
  %scales = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %zero = nn.constant dense<0> : tensor<i8>
  %w = nn.dequantize %codes, %scales, %zero {axis = 1} : tensor<12x5xi8>, tensor<5xf32>, tensor<i8>
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<1x2x2x3xf32>
  %1 = nn.reshape %0 : tensor<1x3x2x2xf32> to tensor<1x12xf32>
  %2 = nn.matmul %1, %w : tensor<1x12xf32>, tensor<12x5xf32>
  return %2 : tensor<1x5xf32>
}
