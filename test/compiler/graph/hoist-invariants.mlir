// RUN: nacre-opt --nacre-hoist-invariants --split-input-file %s | FileCheck %s

// What both iterations compute alike is computed once, however deep it stands; constants, too.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[TWO:[^ ,:()]+]] = nn.constant dense<2.000000e+00>
  // CHECK-NEXT: %[[E:[^ ,:()]+]] = nn.unary exp %arg1
  // CHECK-NEXT: %[[P:[^ ,:()]+]] = nn.binary mul %[[E]], %[[TWO]]
  // CHECK-NEXT: nn.for 5
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<4xf32>):
  // CHECK-NEXT: nn.for 6
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: nn.binary add %{{.*}}, %[[P]]
  // CHECK-NEXT: nn.yield
  %last = nn.for 5 carried(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %inner = nn.for 6 carried(%h : tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%t: tensor<i64>, %g: tensor<4xf32>):
      %two = nn.constant dense<2.0> : tensor<f32>
      %e = nn.unary exp %w : tensor<4xf32>
      %p = nn.binary mul %e, %two : tensor<4xf32>, tensor<f32>
      %s = nn.binary add %g, %p : tensor<4xf32>, tensor<4xf32>
      nn.yield %s : tensor<4xf32>
    }
    nn.yield %inner : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// -----

// A branch that may not be taken keeps its work, but for constants; a branch as a whole is the same in every iteration, or not.
// CHECK-LABEL: func.func @branches_keep_their_work(
func.func @branches_keep_their_work(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[TWO:[^ ,:()]+]] = nn.constant dense<2.000000e+00>
  // CHECK-NEXT: %[[B:[^ ,:()]+]] = nn.if %arg0 : tensor<i1> -> (tensor<4xf32>) {
  // CHECK-NEXT: nn.unary exp %arg1
  // CHECK: nn.for 5
  // CHECK-NEXT: ^bb0(%[[ITERATION:[^ ,:()]+]]: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<4xf32>):
  // CHECK-NEXT: nn.binary add %[[H]], %[[B]]
  %last = nn.for 5 carried(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %b = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
      %two = nn.constant dense<2.0> : tensor<f32>
      %e = nn.unary exp %x : tensor<4xf32>
      %p = nn.binary mul %e, %two : tensor<4xf32>, tensor<f32>
      nn.yield %p : tensor<4xf32>
    } else {
      nn.yield %x : tensor<4xf32>
    }
    %s = nn.binary add %h, %b : tensor<4xf32>, tensor<4xf32>
    nn.yield %s : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}
