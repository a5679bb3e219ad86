// RUN: nacre-opt %s --nacre-join-products --nacre-fold-constants --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x8x4xf32>)
// CHECK-NEXT:    %[[W:[^ ,:()]+]] = nn.constant {{.*}} : tensor<4x8xf32>
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.matmul %[[X]], %[[W]]
// CHECK-NEXT:    %[[B:[^ ,:()]+]] = nn.constant dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]> : tensor<8xf32>
// CHECK-NEXT:    %[[S:[^ ,:()]+]] = nn.binary add %[[P]], %[[B]]
// CHECK-NEXT:    %[[H:[^ ,:()]+]] = nn.reshape %[[S]] : tensor<1x8x8xf32> to tensor<1x8x4x2xf32>
// CHECK-NEXT:    %[[Q:[^ ,:()]+]] = nn.slice %[[H]] [0, 0, 0, 0] [1, 8, 2, 2] [1, 1, 1, 1]
// CHECK-NEXT:    %[[K:[^ ,:()]+]] = nn.slice %[[H]] [0, 0, 2, 0] [1, 8, 2, 2] [1, 1, 1, 1]
// CHECK-NEXT:    %[[QT:[^ ,:()]+]] = nn.transpose %[[Q]] [0, 2, 1, 3]
// CHECK-NEXT:    %[[KT:[^ ,:()]+]] = nn.transpose %[[K]] [0, 2, 3, 1]
// CHECK-NEXT:    nn.matmul %[[QT]], %[[KT]]
func.func @documented_example(%x: tensor<1x8x4xf32>) -> tensor<1x2x8x8xf32> {
  %wq = nn.constant dense<0.5> : tensor<4x4xf32>
  %bq = nn.constant dense<1.0> : tensor<4xf32>
  %wk = nn.constant dense<2.0> : tensor<4x4xf32>
  %q = nn.matmul %x, %wq : tensor<1x8x4xf32>, tensor<4x4xf32>
  %qb = nn.binary add %q, %bq : tensor<1x8x4xf32>, tensor<4xf32>
  %qh = nn.reshape %qb : tensor<1x8x4xf32> to tensor<1x8x2x2xf32>
  %qt = nn.transpose %qh [0, 2, 1, 3] : tensor<1x8x2x2xf32>
  %k = nn.matmul %x, %wk : tensor<1x8x4xf32>, tensor<4x4xf32>
  %kh = nn.reshape %k : tensor<1x8x4xf32> to tensor<1x8x2x2xf32>
  %kt = nn.transpose %kh [0, 2, 3, 1] : tensor<1x8x2x2xf32>
  %s = nn.matmul %qt, %kt : tensor<1x2x8x2xf32>, tensor<1x2x2x8xf32>
  return %s : tensor<1x2x8x8xf32>
}

// -----

// Fewer heads of keys than of queries, and a matrix that stands behind the first product.

// CHECK-LABEL: func.func @groups_of_heads(
// CHECK-COUNT-1: nn.matmul %arg0
// CHECK:         nn.slice %{{.*}} [0, 0, 0] [8, 3, 2]
// CHECK:         nn.slice %{{.*}} [0, 3, 0] [8, 1, 2]
func.func @groups_of_heads(%x: tensor<8x4xf32>) -> (tensor<3x8x2xf32>, tensor<1x8x2xf32>) {
  %wq = nn.constant dense<0.5> : tensor<4x6xf32>
  %q = nn.matmul %x, %wq : tensor<8x4xf32>, tensor<4x6xf32>
  %qh = nn.reshape %q : tensor<8x6xf32> to tensor<8x3x2xf32>
  %qt = nn.transpose %qh [1, 0, 2] : tensor<8x3x2xf32>
  %wk = nn.constant dense<2.0> : tensor<4x2xf32>
  %k = nn.matmul %x, %wk : tensor<8x4xf32>, tensor<4x2xf32>
  %kh = nn.reshape %k : tensor<8x2xf32> to tensor<8x1x2xf32>
  %kt = nn.transpose %kh [1, 0, 2] : tensor<8x1x2xf32>
  return %qt, %kt : tensor<3x8x2xf32>, tensor<1x8x2xf32>
}

// -----

// What follows a product within its kernel stays there; heads of another size, and heads that leave the function as a view, are no
// members.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: nn.matmul %arg0
func.func @others(%x: tensor<8x4xf32>) -> (tensor<2x8x2xf32>, tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<8x2x2xf32>) {
  %wa = nn.constant dense<1.0> : tensor<4x4xf32>
  %wb = nn.constant dense<2.0> : tensor<4x4xf32>
  %wc = nn.constant dense<3.0> : tensor<4x4xf32>
  %wd = nn.constant dense<4.0> : tensor<4x4xf32>
  %a = nn.matmul %x, %wa : tensor<8x4xf32>, tensor<4x4xf32>
  %ah = nn.reshape %a : tensor<8x4xf32> to tensor<8x2x2xf32>
  %at = nn.transpose %ah [1, 0, 2] : tensor<8x2x2xf32>
  %b = nn.matmul %x, %wb : tensor<8x4xf32>, tensor<4x4xf32>
  %bh = nn.reshape %b : tensor<8x4xf32> to tensor<8x1x4xf32>
  %bt = nn.transpose %bh [1, 0, 2] : tensor<8x1x4xf32>
  %c = nn.matmul %x, %wc : tensor<8x4xf32>, tensor<4x4xf32>
  %cr = nn.unary relu %c {alpha = 0.0 : f64} : tensor<8x4xf32>
  %d = nn.matmul %x, %wd : tensor<8x4xf32>, tensor<4x4xf32>
  %dh = nn.reshape %d : tensor<8x4xf32> to tensor<8x2x2xf32>
  return %at, %bt, %cr, %dh : tensor<2x8x2xf32>, tensor<1x8x4xf32>, tensor<8x4xf32>, tensor<8x2x2xf32>
}
