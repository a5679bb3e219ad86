// RUN: nacre-opt %s --nacre-fold-constants="max-constant-bytes=2097152" --split-input-file | FileCheck %s

// The example of the pass's documentation. The old weights are gone with their last use.

// CHECK-LABEL: func.func @documented_example(
// CHECK-NEXT:    %[[W:[^ ,:()]+]] = nn.constant dense<{{\[}}[1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]>
// CHECK-NEXT:    return %[[W]]
func.func @documented_example() -> tensor<2x2xf32> {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = nn.transpose %w [1, 0] : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// One walk folds a chain, whatever its length: a result is a constant when its user is met.

// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    nn.constant dense<[-2.000000e+00, -3.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    return
func.func @chain() -> tensor<2xf32> {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.binary add %a, %b : tensor<2xf32>, tensor<f32>
  %1 = nn.unary neg %0 : tensor<2xf32>
  %2 = nn.reshape %1 : tensor<2xf32> to tensor<1x2xf32>
  %3 = nn.reduce sum %2 {axes = array<i64: 0>} : tensor<1x2xf32>
  return %3 : tensor<2xf32>
}

// -----

// An expansion to megabytes is cheaper to do than to store (here 1.5 MiB from 8 bytes); above the limit nothing is made
// (here 4 MiB from 4 MiB); splats have no size.

// CHECK-LABEL: func.func @sizes(
// CHECK-DAG:     nn.broadcast
// CHECK-DAG:     nn.constant dense<5.000000e-01> : tensor<1000000x1000xf32>
// CHECK:         return
func.func @sizes() -> (tensor<196608x2xf32>, tensor<1000000x1000xf32>) {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.broadcast %a : tensor<2xf32> to tensor<196608x2xf32>
  %1 = nn.broadcast %half : tensor<f32> to tensor<1000000x1000xf32>
  return %0, %1 : tensor<196608x2xf32>, tensor<1000000x1000xf32>
}

// -----

// CHECK-LABEL: func.func @limit(
// CHECK:         nn.pad
func.func @limit() -> tensor<2x1024x512xf32> {
  %half = nn.constant dense<0.5> : tensor<1x1024x512xf32>
  %0 = nn.pad constant %half [1, 0, 0] [0, 0, 0] 0.0 : f32 : tensor<1x1024x512xf32>
  return %0 : tensor<2x1024x512xf32>
}

// -----

// Only what depends on constants alone is computed.

// CHECK-LABEL: func.func @arguments_stay(
// CHECK:         nn.binary add
func.func @arguments_stay(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = nn.binary add %x, %a : tensor<2xf32>, tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A resource may start at any address, and a result that is large becomes one.

// CHECK-LABEL: func.func @resources(
// CHECK:         nn.constant dense<[-1.000000e+00, -2.000000e+00]> : tensor<2xf32>
func.func @resources() -> tensor<2xf32> {
  %a = nn.constant dense_resource<weights> : tensor<2xf32>
  %0 = nn.unary neg %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      // 1.0 and 2.0, little endian, aligned to 4.
      weights: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// A splat moves at no cost, whatever its size; a sum of all its elements is left to the model.

// CHECK-LABEL: func.func @splats_of_any_size(
// CHECK-DAG:     nn.constant dense<2.000000e+00> : tensor<2x1099511627776xf32>
// CHECK-DAG:     nn.reduce sum
func.func @splats_of_any_size() -> (tensor<2x1099511627776xf32>, tensor<f32>) {
  %two = nn.constant dense<2.0> : tensor<1099511627776x4xf32>
  %0 = nn.slice %two [1, 0] [1099511627775, 2] [1, 1] : tensor<1099511627776x4xf32>
  %i = nn.constant dense<3> : tensor<1099511627776xi64>
  %1 = nn.gather %0, %i {axis = 0 : i64} : tensor<1099511627775x2xf32>, tensor<1099511627776xi64>
  %2 = nn.transpose %1 [1, 0] : tensor<1099511627776x2xf32>
  %3 = nn.reduce sum %two {axes = array<i64: 0, 1>} : tensor<1099511627776x4xf32>
  return %2, %3 : tensor<2x1099511627776xf32>, tensor<f32>
}

// -----

// Constants of a body are weights like any other.
// CHECK-LABEL: func.func @in_regions(
// CHECK: nn.for 5
// CHECK: %[[W:[^ ,:()]+]] = nn.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]>
// CHECK-NEXT: nn.matmul %{{.*}}, %[[W]]
func.func @in_regions(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = nn.for 5 carried(%x : tensor<2x2xf32>) -> (tensor<2x2xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x2xf32>):
    %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %t = nn.transpose %w [1, 0] : tensor<2x2xf32>
    %p = nn.matmul %h, %t : tensor<2x2xf32>, tensor<2x2xf32>
    nn.yield %p : tensor<2x2xf32>
  }
  return %y : tensor<2x2xf32>
}
