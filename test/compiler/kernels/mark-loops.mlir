// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-mark-loops --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-mark-loops --split-input-file | FileCheck %s --check-prefix=ANY
// RUN: nacre-opt %s --nacre-assign-engine --nacre-mark-loops --split-input-file | FileCheck %s --check-prefix=ANY

// One kernel computes all steps. The zeros with which the state begins are part of it.

// CHECK-LABEL: func.func @documented_example
// CHECK-NOT:     nn.broadcast
// CHECK:         %[[H:[^ ]+]] = nn.constant dense<0.000000e+00> : tensor<2x16xf32>
// CHECK-NEXT:    nn.for 4 carried(%[[H]] {{.*}} attributes {plan.one_kernel}
// ANY-LABEL:   func.func @documented_example
// ANY:           nn.broadcast
// ANY-NOT:       plan.one_kernel
func.func @documented_example(%x: tensor<4x2x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x16xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %h0 = nn.broadcast %zero : tensor<f32> to tensor<2x16xf32>
  %last = nn.for 4 carried(%h0 : tensor<2x16xf32>) scanned(%x : tensor<4x2x16xf32>) -> (tensor<2x16xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x16xf32>, %row: tensor<2x16xf32>):
    %p = nn.matmul %h, %w : tensor<2x16xf32>, tensor<16x16xf32>
    %s = nn.binary add %p, %row : tensor<2x16xf32>, tensor<2x16xf32>
    %n = nn.unary tanh %s : tensor<2x16xf32>
    nn.yield %n : tensor<2x16xf32>
  }
  return %last : tensor<2x16xf32>
}

// -----

// The next state of a row is computed from other rows, so each step is launched. The broadcast stays.

// CHECK-LABEL: func.func @rows_depend_on_each_other
// CHECK:         nn.broadcast
// CHECK-NOT:     plan.one_kernel
func.func @rows_depend_on_each_other(%w: tensor<2x2xf32>) -> tensor<2x16xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %h0 = nn.broadcast %zero : tensor<f32> to tensor<2x16xf32>
  %last = nn.for 4 carried(%h0 : tensor<2x16xf32>) -> (tensor<2x16xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x16xf32>):
    %p = nn.matmul %w, %h : tensor<2x2xf32>, tensor<2x16xf32>
    nn.yield %p : tensor<2x16xf32>
  }
  return %last : tensor<2x16xf32>
}
