// RUN: nacre-opt %s --nacre-simplify-graph --canonicalize | FileCheck %s

// A zero point's constant of each column, a bias and a number for all columns are one: [1, 2] - [10, 20] + 5, or (5 + [1, 2]) - [10, 20].

// CHECK-LABEL: func.func @merged(
// CHECK-DAG:     %[[C:[^ ,:()]+]] = nn.constant dense<[-4, -13]> : tensor<2xi32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.matmul
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.binary add %[[P]], %[[C]]
// CHECK-NEXT:    %[[Q:[^ ,:()]+]] = nn.matmul
// CHECK-NEXT:    %[[B:[^ ,:()]+]] = nn.binary add %[[Q]], %[[C]]
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @merged(%x: tensor<4x2xui8>, %w: tensor<2x2xi8>, %y: tensor<4x2xui8>) -> (tensor<4x2xi32>, tensor<4x2xi32>) {
  %bias = nn.constant dense<[1, 2]> : tensor<2xi32>
  %columns = nn.constant dense<[[10, 20]]> : tensor<1x2xi32>
  %five = nn.constant dense<5> : tensor<i32>
  %0 = nn.matmul %x, %w : tensor<4x2xui8>, tensor<2x2xi8>
  %1 = nn.binary sub %0, %columns : tensor<4x2xi32>, tensor<1x2xi32>
  %2 = nn.binary add %bias, %1 : tensor<2xi32>, tensor<4x2xi32>
  %3 = nn.binary add %2, %five : tensor<4x2xi32>, tensor<i32>
  %4 = nn.matmul %y, %w : tensor<4x2xui8>, tensor<2x2xi8>
  %5 = nn.binary add %4, %five : tensor<4x2xi32>, tensor<i32>
  %6 = nn.binary add %5, %bias : tensor<4x2xi32>, tensor<2xi32>
  %7 = nn.binary sub %6, %columns : tensor<4x2xi32>, tensor<1x2xi32>
  return %3, %7 : tensor<4x2xi32>, tensor<4x2xi32>
}

// Sums of floats are rounded in their order, and other integers are no sums of a contraction.

// CHECK-LABEL: func.func @must_stay(
// CHECK-COUNT-4: nn.binary
func.func @must_stay(%x: tensor<4x2xf32>, %w: tensor<2x2xf32>, %i: tensor<4x2xi32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = nn.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %c = nn.constant dense<[1, 2]> : tensor<2xi32>
  %0 = nn.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32>
  %1 = nn.binary add %0, %a : tensor<4x2xf32>, tensor<2xf32>
  %2 = nn.binary add %1, %b : tensor<4x2xf32>, tensor<2xf32>
  %3 = nn.binary sub %i, %c : tensor<4x2xi32>, tensor<2xi32>
  %4 = nn.binary add %3, %c : tensor<4x2xi32>, tensor<2xi32>
  return %2, %4 : tensor<4x2xf32>, tensor<4x2xi32>
}
