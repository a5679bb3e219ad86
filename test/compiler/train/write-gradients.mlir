// RUN: nacre-opt %s --nacre-write-gradients --cse --split-input-file | FileCheck %s

// CHECK-LABEL: module @documented_example
module @documented_example {
// The example of the pass's documentation: of a product the other factor. What is read already is not computed again.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<4xf32>, %[[Z:[^ ,:()]+]]: tensor<4xf32>
// CHECK-NOT: nn.gradient
// CHECK: %[[Y:[^ ,:()]+]] = nn.binary mul %[[X]], %[[Z]]
// CHECK: %[[ONES:[^ ,:()]+]] = nn.broadcast
// CHECK: %[[DX:[^ ,:()]+]] = nn.binary mul %[[ONES]], %[[Z]]
// CHECK: return %[[Y]], %[[DX]]
func.func @product(%x: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = nn.binary mul %x, %z : tensor<4xf32>, tensor<4xf32>
  %dx = nn.gradient of(%x, %z : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %p = nn.binary mul %a, %b : tensor<4xf32>, tensor<4xf32>
    nn.yield %p : tensor<4xf32>
  }
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// What does not depend on an argument has a gradient of zeros; an argument may be the gradient of another.
// CHECK-LABEL: func.func @none(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<f32>, %[[Z:[^ ,:()]+]]: tensor<f32>
// CHECK: %[[ZERO:[^ ,:()]+]] = nn.constant dense<0.000000e+00>
// CHECK: return %[[ZERO]]
func.func @none(%x: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %dx = nn.gradient of(%x, %z : tensor<f32>, tensor<f32>) -> (tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    nn.yield %b : tensor<f32>
  }
  return %dx : tensor<f32>
}

// -----

// The inner one is written first, and is differentiated like anything else.
// CHECK-LABEL: func.func @second
// CHECK-NOT: nn.gradient
// CHECK: return
func.func @second(%x: tensor<f32>) -> tensor<f32> {
  %0 = nn.gradient of(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%a: tensor<f32>):
    %1 = nn.gradient of(%a : tensor<f32>) -> (tensor<f32>) {
    ^bb0(%b: tensor<f32>):
      %e = nn.unary exp %b : tensor<f32>
      nn.yield %e : tensor<f32>
    }
    nn.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
