// RUN: nacre-opt %s --nacre-narrow-floats --nacre-fold-constants --canonicalize --split-input-file | FileCheck %s

// The example of the pass's documentation.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[H:.*]] = nn.cast %[[X]] : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT:    %[[R:.*]] = nn.unary relu %[[H]] : tensor<4xf16>
// CHECK-NEXT:    %[[T:.*]] = nn.unary tanh %[[R]] : tensor<4xf16>
// CHECK-NEXT:    %[[W:.*]] = nn.cast %[[T]] : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT:    return %[[W]]
func.func @documented_example(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.unary relu %x : tensor<4xf32>
  %1 = nn.unary tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Weights are stored narrow; a mask of the largest f32 stays finite, an infinite one does not.

// CHECK-LABEL: func.func @constants(
// CHECK-DAG:     nn.constant dense<-6.550400e+04> : tensor<2xf16>
// CHECK-DAG:     nn.constant dense<0xFC00> : tensor<2xf16>
// CHECK-DAG:     nn.constant dense<9.997550e-02> : tensor<2xf16>
// CHECK-NOT:     nn.constant
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %mask = nn.constant dense<-3.4e38> : tensor<2xf32>
  %none = nn.constant dense<0xFF800000> : tensor<2xf32>
  %weight = nn.constant dense<0.1> : tensor<2xf32>
  %0 = nn.binary add %x, %mask : tensor<2xf32>, tensor<2xf32>
  %1 = nn.binary max %0, %none : tensor<2xf32>, tensor<2xf32>
  %2 = nn.binary mul %1, %weight : tensor<2xf32>, tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// Other types stay, and so do results that are narrow already.

// CHECK-LABEL: func.func @types(
// CHECK-SAME:    -> (tensor<3xf16>, tensor<3xi32>)
// CHECK-NEXT:    %[[R:.*]] = nn.unary relu %{{.*}} : tensor<3xf16>
// CHECK-NEXT:    %[[A:.*]] = nn.binary add %{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>
// CHECK-NEXT:    return %[[R]], %[[A]]
func.func @types(%h: tensor<3xf16>, %i: tensor<3xi32>) -> (tensor<3xf16>, tensor<3xi32>) {
  %0 = nn.unary relu %h : tensor<3xf16>
  %1 = nn.binary add %i, %i : tensor<3xi32>, tensor<3xi32>
  return %0, %1 : tensor<3xf16>, tensor<3xi32>
}

// -----

// A model of both has casts of its own, which then do nothing.

// CHECK-LABEL: func.func @both(
// CHECK-NEXT:    %[[X:.*]] = nn.cast %{{.*}} : tensor<3xf32> to tensor<3xf16>
// CHECK-NEXT:    %[[S:.*]] = nn.binary add %[[X]], %{{.*}} : tensor<3xf16>, tensor<3xf16>
// CHECK-NEXT:    %[[R:.*]] = nn.unary relu %[[S]] : tensor<3xf16>
// CHECK-NEXT:    nn.cast %[[R]] : tensor<3xf16> to tensor<3xf32>
func.func @both(%x: tensor<3xf32>, %h: tensor<3xf16>) -> tensor<3xf32> {
  %0 = nn.cast %x : tensor<3xf32> to tensor<3xf16>
  %1 = nn.binary add %0, %h : tensor<3xf16>, tensor<3xf16>
  %2 = nn.cast %1 : tensor<3xf16> to tensor<3xf32>
  %3 = nn.unary relu %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
