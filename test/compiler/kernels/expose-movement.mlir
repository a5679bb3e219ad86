// RUN: nacre-opt %s --pass-pipeline='builtin.module(func.func(nacre-expose-movement))' | FileCheck %s

// The example of the pass's documentation: a convolution's pads become an operator in front of it.

// CHECK-LABEL: func.func @documented_example
// CHECK:         %[[P:[^ ,:()]+]] = nn.pad constant %{{.*}} [0, 1, 1, 0] [0, 1, 1, 0] 0.0{{.*}} : f32
// CHECK:         nn.conv %[[P]], %{{.*}} pads = array<i64: 0, 0, 0, 0>
func.func @documented_example(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32> {
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
                       groups = 1 : i64} : tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>
  return %y : tensor<1x8x8x16xf32>
}

// Negative pads crop: a slice does that, and the pad that is left only adds.

// CHECK-LABEL: func.func @crops_become_slices
// CHECK:         %[[S:[^ ,:()]+]] = nn.slice %{{.*}} [0, 2] [4, 6] [1, 1]
// CHECK:         nn.pad constant %[[S]] [1, 0] [0, 0]
func.func @crops_become_slices(%x: tensor<4x8xf32>) -> tensor<5x6xf32> {
  %y = nn.pad constant %x [1, -2] [0, 0] 0.0 : f32 : tensor<4x8xf32>
  return %y : tensor<5x6xf32>
}

// What crops all of an axis, and adds to it, leaves the border alone.

// CHECK-LABEL: func.func @crops_of_all_become_constants
// CHECK-NEXT:    nn.constant dense<7.000000e+00> : tensor<4x2xf32>
// CHECK-NEXT:    nn.constant dense<7.000000e+00> : tensor<4x3xf32>
// CHECK-NEXT:    return
func.func @crops_of_all_become_constants(%x: tensor<4x1xf32>) -> (tensor<4x2xf32>, tensor<4x3xf32>) {
  %y = nn.pad constant %x [0, 2] [0, -1] 7.0 : f32 : tensor<4x1xf32>
  %z = nn.pad constant %x [0, -3] [0, 5] 7.0 : f32 : tensor<4x1xf32>
  return %y, %z : tensor<4x2xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @pads_of_nothing_vanish(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @pads_of_nothing_vanish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nn.pad constant %x [0] [0] 0.0 : f32 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Axes of one element may move freely: the elements stay where they are.

// CHECK-LABEL: func.func @moved_unit_axes_are_reshapes
// CHECK:         nn.reshape %{{.*}} : tensor<1x1x1x8xf32> to tensor<1x8x1x1xf32>
// CHECK:         nn.transpose
func.func @moved_unit_axes_are_reshapes(%x: tensor<1x1x1x8xf32>, %y: tensor<2x3xf32>)
    -> (tensor<1x8x1x1xf32>, tensor<3x2xf32>) {
  %0 = nn.transpose %x [0, 3, 1, 2] : tensor<1x1x1x8xf32>
  %1 = nn.transpose %y [1, 0] : tensor<2x3xf32>
  return %0, %1 : tensor<1x8x1x1xf32>, tensor<3x2xf32>
}

// A slice with steps on one axis that crops another: the crop can be a view.

// CHECK-LABEL: func.func @crops_leave_slices_with_steps
// CHECK:         %[[C:[^ ,:()]+]] = nn.slice %{{.*}} [1, 0] [1, 8] [1, 1]
// CHECK:         nn.slice %[[C]] [0, 1] [1, 3] [1, 2]
func.func @crops_leave_slices_with_steps(%x: tensor<3x8xf32>) -> tensor<1x3xf32> {
  %y = nn.slice %x [1, 1] [1, 3] [1, 2] : tensor<3x8xf32>
  return %y : tensor<1x3xf32>
}

// Integers are padded with what stands for zero.

// CHECK-LABEL: func.func @pads_of_integers
// CHECK:         %[[P:[^ ,:()]+]] = nn.pad constant %{{.*}} [0, 1, 1, 0] [0, 1, 1, 0] 200 : ui8
// CHECK:         nn.conv %[[P]], %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides
func.func @pads_of_integers(%x: tensor<1x8x8x4xui8>, %w: tensor<3x3x4x16xi8>) -> tensor<1x8x8x16xi32> {
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
                       groups = 1 : i64, pad_value = 200} : tensor<1x8x8x4xui8>, tensor<3x3x4x16xi8>
  return %y : tensor<1x8x8x16xi32>
}
