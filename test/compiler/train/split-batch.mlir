// RUN: nacre-opt %s --nacre-split-batch --split-input-file --verify-diagnostics | FileCheck %s

// The example of the pass's documentation: a batch of six in parts of two. Rows of the input and of the output are those of a
// part; the loss and the gradient are means over three parts.

// CHECK-LABEL: module @documented_example
module @documented_example {
// CHECK-NOT: evaluate whole
func.func private @"evaluate whole"(%x: tensor<6x3xf32> {nn.name = "x"}, %w: tensor<3x1xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<6x1xf32> {nn.name = "y"}) {
  %0 = nn.matmul %x, %w : tensor<6x3xf32>, tensor<3x1xf32>
  %1 = nn.reduce mean %0 {axes = array<i64: 0, 1>} : tensor<6x1xf32>
  return %1, %0 : tensor<f32>, tensor<6x1xf32>
}
// CHECK-LABEL: func.func @train(
// CHECK-SAME:  %[[X:[^ ,:()]+]]: tensor<6x3xf32>
// CHECK-SAME:  -> (tensor<f32> {nn.name = "loss"}, tensor<6x1xf32> {nn.name = "y"}, tensor<3x1xf32> {nn.gradient = "w"})
// CHECK:       %[[ROWS:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<6x3xf32> to tensor<3x2x3xf32>
// CHECK:       %[[LOOP:[^ ,:()]+]]:3 = nn.for 3 carried(%{{.*}} : tensor<f32>, tensor<3x1xf32>) scanned(%[[ROWS]] : tensor<3x2x3xf32>)
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i64>, %[[LOSS:[^ ,:()]+]]: tensor<f32>, %[[SUM:[^ ,:()]+]]: tensor<3x1xf32>, %[[PART:[^ ,:()]+]]: tensor<2x3xf32>):
// CHECK-NEXT:    %[[Y:[^ ,:()]+]] = nn.matmul %[[PART]], %{{.*}} : tensor<2x3xf32>, tensor<3x1xf32>
// CHECK:         nn.yield %{{.*}}, %{{.*}} : tensor<f32>, tensor<3x1xf32> stacked(%[[Y]] : tensor<2x1xf32>)
// CHECK:       nn.reshape %[[LOOP]]#2 : tensor<3x2x1xf32> to tensor<6x1xf32>
func.func @train(%x: tensor<2x3xf32> {nn.name = "x"}, %w: tensor<3x1xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<2x1xf32> {nn.name = "y"}, tensor<3x1xf32> {nn.gradient = "w"}) {
  %0 = nn.matmul %x, %w : tensor<2x3xf32>, tensor<3x1xf32>
  %1 = nn.reduce mean %0 {axes = array<i64: 0, 1>} : tensor<2x1xf32>
  %2 = nn.transpose %x [1, 0] : tensor<2x3xf32>
  %3 = nn.matmul %2, %0 : tensor<3x2xf32>, tensor<2x1xf32>
  return %1, %0, %3 : tensor<f32>, tensor<2x1xf32>, tensor<3x1xf32>
}
}

// -----

module {
func.func private @"evaluate whole"(%x: tensor<5x3xf32> {nn.name = "x"}) -> (tensor<5x3xf32> {nn.name = "y"}) {
  return %x : tensor<5x3xf32>
}
// expected-error @+1 {{--micro-batch and --memory-cap must split the batch along one axis of 'x', but it is 'tensor<2x3xf32>' for a part and 'tensor<5x3xf32>' for the batch}}
func.func @train(%x: tensor<2x3xf32> {nn.name = "x"}) -> (tensor<2x3xf32> {nn.name = "y"}) {
  return %x : tensor<2x3xf32>
}
}
