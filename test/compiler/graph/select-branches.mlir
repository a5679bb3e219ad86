// RUN: nacre-opt --nacre-select-branches --split-input-file %s | FileCheck %s

// A few elementwise operators are computed on both sides.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%c: tensor<1xi1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[E:[^ ,:()]+]] = nn.unary exp %arg1
  // CHECK-NEXT: %[[N:[^ ,:()]+]] = nn.unary neg %arg1
  // CHECK-NEXT: %[[C:[^ ,:()]+]] = nn.reshape %arg0 : tensor<1xi1> to tensor<i1>
  // CHECK-NEXT: %[[Y:[^ ,:()]+]] = nn.select %[[C]], %[[E]], %[[N]]
  // CHECK-NEXT: return %[[Y]], %arg1
  %y, %same = nn.if %c : tensor<1xi1> -> (tensor<4xf32>, tensor<4xf32>) {
    %e = nn.unary exp %x : tensor<4xf32>
    nn.yield %e, %x : tensor<4xf32>, tensor<4xf32>
  } else {
    %n = nn.unary neg %x : tensor<4xf32>
    nn.yield %n, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %y, %same : tensor<4xf32>, tensor<4xf32>
}

// -----

// A product is skipped where it is not asked for; and so is what has more elements than the results.
// CHECK-LABEL: func.func @stay_branches(
func.func @stay_branches(%c: tensor<i1>, %m: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  // CHECK: nn.if
  %y = nn.if %c : tensor<i1> -> (tensor<4x4xf32>) {
    %p = nn.matmul %m, %m : tensor<4x4xf32>, tensor<4x4xf32>
    nn.yield %p : tensor<4x4xf32>
  } else {
    nn.yield %m : tensor<4x4xf32>
  }
  // CHECK: nn.if
  %z = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
    %e = nn.unary exp %m : tensor<4x4xf32>
    %s = nn.reduce sum %e {axes = array<i64: 0>} : tensor<4x4xf32>
    nn.yield %s : tensor<4xf32>
  } else {
    %zero = nn.constant dense<0.0> : tensor<4xf32>
    nn.yield %zero : tensor<4xf32>
  }
  return %y, %z : tensor<4x4xf32>, tensor<4xf32>
}
