// RUN: nacre-opt %s --nacre-differentiate="losses=model:y scale-loss" | FileCheck %s --check-prefix=GRADIENT
// RUN: nacre-opt %s --nacre-differentiate="losses=model:y scale-loss" --nacre-add-update="optimizer=sgd scale-loss entries=train" | FileCheck %s
// RUN: nacre-opt %s --nacre-differentiate=losses=model:y --nacre-add-update="optimizer=sgd entries=train" | FileCheck %s --check-prefix=FLOATS

// The backward pass begins with the scale, and gradients are divided by it.

// GRADIENT-LABEL: func.func @train(
// GRADIENT-SAME: %[[X:[^ ,:()]+]]: tensor<4xf32> {nn.name = "x"}
// GRADIENT-SAME: %[[SCALE:[^ ,:()]+]]: tensor<f32> {nn.initial = dense<6.553600e+04> : tensor<f32>, nn.role = "counter", nn.variable = "#loss_scale"}
// GRADIENT: %[[ROW:[^ ,:()]+]] = nn.reshape %[[SCALE]] : tensor<f32> to tensor<1xf32>
// GRADIENT: %[[SCALED:[^ ,:()]+]] = nn.binary mul
// GRADIENT: %[[ONE_BY:[^ ,:()]+]] = nn.unary reciprocal %[[SCALE]]
// GRADIENT: %[[G:[^ ,:()]+]] = nn.binary mul %[[SCALED]], %[[ONE_BY]]
// GRADIENT: return %{{[^ ,]+}}, %{{[^ ,]+}}, %[[G]] :

// A step with a gradient that is not finite keeps weight and step; the scale shrinks then, and grows after 2000 others.
// A scale outside of its limits, which no step computes, becomes the initial one.

// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[W:[^ ,:()]+]]: tensor<4xf32> {nn.role = "weight", nn.variable = "w"}
// CHECK-SAME: %[[SCALE:[^ ,:()]+]]: tensor<f32> {nn.initial
// CHECK-SAME: %[[STEP:[^ ,:()]+]]: tensor<i64> {nn.role = "counter", nn.variable = "#step"}
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss"}, tensor<1xf32> {nn.name = "y"}, tensor<i64> {nn.variable = "#step"}, tensor<4xf32> {nn.variable = "w"}, tensor<f32> {nn.variable = "#loss_scale"}, tensor<f32> {nn.variable = "#loss_scale#good"}, tensor<i64> {nn.name = "skipped_steps"}, tensor<i64> {nn.variable = "#loss_scale#skipped"})
// CHECK: %[[ABS:[^ ,:()]+]] = nn.unary abs
// CHECK: %[[SUM:[^ ,:()]+]] = nn.reduce sum %[[ABS]]
// CHECK: %[[LARGEST:[^ ,:()]+]] = nn.constant dense<3.40282347E+38> : tensor<f32>
// CHECK: %[[GOOD:[^ ,:()]+]] = nn.binary less_equal %[[SUM]], %[[LARGEST]]
// CHECK: %[[NEXT:[^ ,:()]+]] = nn.binary sub %[[W]],
// CHECK: %[[COUNT:[^ ,:()]+]] = nn.select %[[GOOD]], %{{[^ ,]+}}, %[[STEP]]
// CHECK: %[[NEW:[^ ,:()]+]] = nn.select %[[GOOD]], %[[NEXT]], %[[W]]
// CHECK: %[[LARGER:[^ ,:()]+]] = nn.select %{{[^ ,]+}}, %{{[^ ,]+}}, %[[SCALE]] :
// CHECK: %[[SMALLER:[^ ,:()]+]] = nn.binary max
// CHECK: %[[LEAST:[^ ,:()]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[IS_LARGE:[^ ,:()]+]] = nn.binary greater_equal %[[SCALE]], %[[LEAST]]
// CHECK: %[[MOST:[^ ,:()]+]] = nn.constant dense<0x4B800000> : tensor<f32>
// CHECK: %[[IS_SMALL:[^ ,:()]+]] = nn.binary less_equal %[[SCALE]], %[[MOST]]
// CHECK: %[[IS_SCALE:[^ ,:()]+]] = nn.binary and %[[IS_LARGE]], %[[IS_SMALL]]
// CHECK: %[[ADAPTED:[^ ,:()]+]] = nn.select %[[GOOD]], %[[LARGER]], %[[SMALLER]]
// CHECK: %[[FIRST:[^ ,:()]+]] = nn.constant dense<6.553600e+04> : tensor<f32>
// CHECK: %[[SCALE_AFTER:[^ ,:()]+]] = nn.select %[[IS_SCALE]], %[[ADAPTED]], %[[FIRST]]
// CHECK: %[[SKIPPED:[^ ,:()]+]] = nn.select %[[GOOD]], %[[BEFORE:[^ ,:()]+]], %{{[^ ,]+}} : tensor<i1>, tensor<i64>
// CHECK: %[[BAD:[^ ,:()]+]] = nn.unary not %[[GOOD]]
// CHECK: %[[ONE:[^ ,:()]+]] = nn.cast %[[BAD]] : tensor<i1> to tensor<i64>
// CHECK: %[[AGAIN:[^ ,:()]+]] = nn.binary add %[[BEFORE]], %[[ONE]]
// CHECK: return %{{[^ ,]+}}, %{{[^ ,]+}}, %[[COUNT]], %[[NEW]], %[[SCALE_AFTER]], %{{[^ ,]+}}, %[[SKIPPED]], %[[AGAIN]] :

// FLOATS-LABEL: func.func @train(
// FLOATS-NOT: loss_scale
func.func @train(%x: tensor<4xf32> {nn.name = "x"}, %w: tensor<4xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<1xf32> {nn.name = "y", nn.watched}) {
  %0 = nn.binary mul %x, %w : tensor<4xf32>, tensor<4xf32>
  %1 = nn.reduce sum %0 {axes = array<i64: 0>, keep_dims} : tensor<4xf32>
  return %1 : tensor<1xf32>
}
