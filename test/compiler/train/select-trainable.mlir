// RUN: nacre-opt %s --nacre-select-trainable="trainable=fc* frozen=*.bias" | FileCheck %s
// RUN: not nacre-opt %s --nacre-select-trainable="trainable=fc1.wheight" 2>&1 | FileCheck %s --check-prefix=NEAREST
// RUN: not nacre-opt %s --nacre-select-trainable="trainable=* frozen=*" 2>&1 | FileCheck %s --check-prefix=NOTHING

// The example of the pass's documentation: the second weight is a constant again, zeros as it was at first.
// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME: %arg0: tensor<2x3xf32> {nn.name = "x"}, %[[W:[^ ,:()]+]]: tensor<3x1xf32> {nn.initial = {{.*}}, nn.role = "weight", nn.variable = "fc1.weight"})
// CHECK: %[[B:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK: %[[P:[^ ,:()]+]] = nn.matmul %arg0, %[[W]]
// CHECK: nn.binary add %[[P]], %[[B]]
func.func @documented_example(%x: tensor<2x3xf32> {nn.name = "x"},
    %w: tensor<3x1xf32> {nn.variable = "fc1.weight", nn.role = "weight", nn.initial = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>},
    %b: tensor<1xf32> {nn.variable = "fc1.bias", nn.role = "weight"}) -> (tensor<2x1xf32> {nn.name = "y"}) {
  %0 = nn.matmul %x, %w : tensor<2x3xf32>, tensor<3x1xf32>
  %1 = nn.binary add %0, %b : tensor<2x1xf32>, tensor<1xf32>
  return %1 : tensor<2x1xf32>
}

// NEAREST: --trainable must match a weight, but 'fc1.wheight' does not; the nearest names are 'fc1.weight', 'fc1.bias'
// NOTHING: the model must have a trained weight, but --frozen excludes all weights of --trainable
