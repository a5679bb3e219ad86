// RUN: nacre-opt %s --nacre-turn-variables | FileCheck %s
// RUN: nacre-opt %s --nacre-turn-variables --nacre-add-update="optimizer=sgd:momentum=0.9 entries=train,gradients" | FileCheck %s --check-prefix=UPDATE

// The example of the pass's documentation: `w` is held as all its readers read it, `v`, which one reads as it is, stays.
// CHECK-LABEL: module @documented_example
module @documented_example {
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<1x3xf32>
// CHECK-SAME: %[[W:[^ ,:()]+]]: tensor<3x2xf32> {nn.initial = dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>, nn.order = array<i64: 1, 0>, nn.role = "weight", nn.variable = "w"}
// CHECK-SAME: tensor<2x2xf32> {nn.role = "weight", nn.variable = "v"}
// CHECK-NOT: transpose
// CHECK: nn.matmul %[[X]], %[[W]]
// CHECK: nn.transpose
func.func @main(%x: tensor<1x3xf32> {nn.name = "x"},
    %w: tensor<2x3xf32> {nn.variable = "w", nn.role = "weight", nn.initial = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
    %v: tensor<2x2xf32> {nn.variable = "v", nn.role = "weight"}) -> (tensor<1x2xf32> {nn.name = "y"}) {
  %0 = nn.transpose %w [1, 0] : tensor<2x3xf32>
  %1 = nn.matmul %x, %0 : tensor<1x3xf32>, tensor<3x2xf32>
  %2 = nn.transpose %v [1, 0] : tensor<2x2xf32>
  %3 = nn.matmul %1, %2 : tensor<1x2xf32>, tensor<2x2xf32>
  %4 = nn.matmul %3, %v : tensor<1x2xf32>, tensor<2x2xf32>
  return %4 : tensor<1x2xf32>
}
// What stands beside a weight lies as it does; gradients that are outputs lie as in the model.
// UPDATE-LABEL: func.func @train(
// UPDATE-SAME: tensor<3x2xf32> {nn.order = array<i64: 1, 0>, nn.role = "moment", nn.variable = "w#momentum"}
// UPDATE-LABEL: func.func @gradients(
// UPDATE-SAME: -> (tensor<2x3xf32> {nn.name = "w#gradient"})
func.func @train(%w: tensor<2x3xf32> {nn.variable = "w", nn.role = "weight"}) -> (tensor<3x2xf32> {nn.gradient = "w"}) {
  %0 = nn.transpose %w [1, 0] : tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}
}
