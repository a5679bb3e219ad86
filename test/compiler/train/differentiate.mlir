// RUN: nacre-opt %s --nacre-differentiate="losses=model:y" --cse | FileCheck %s
// RUN: not nacre-opt %s --nacre-differentiate="losses=mean-squared-error:z" 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not nacre-opt %s --nacre-differentiate="losses=median:y" 2>&1 | FileCheck %s --check-prefix=KIND

// CHECK-LABEL: module @documented_example
module @documented_example {
// CHECK-LABEL: func.func @train(
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "y"}, tensor<3x1xf32> {nn.gradient = "w"})
// The example of the pass's documentation: dW = x^T (2 / 2 * x W).
// CHECK: %[[P:[^ ,:()]+]] = nn.matmul %arg0, %arg1
// CHECK: %[[X:[^ ,:()]+]] = nn.transpose %arg0 [1, 0]
// CHECK: %[[W:[^ ,:()]+]] = nn.matmul %[[X]], %{{.*}} : tensor<3x2xf32>, tensor<2x1xf32>
// CHECK: return %{{.*}}, %{{.*}}, %[[W]]
func.func @train(%x: tensor<2x3xf32> {nn.name = "x"}, %w: tensor<3x1xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<f32> {nn.name = "y"}, tensor<2x1xf32> {nn.name = "other"}) {
  %0 = nn.matmul %x, %w : tensor<2x3xf32>, tensor<3x1xf32>
  %1 = nn.binary mul %0, %0 : tensor<2x1xf32>, tensor<2x1xf32>
  %2 = nn.reduce mean %1 {axes = array<i64: 0, 1>} : tensor<2x1xf32>
  return %2, %0 : tensor<f32>, tensor<2x1xf32>
}
}

// TENSOR: --loss must name a tensor of the model, but there is no 'z'
// KIND: --loss must be <kind>:<tensor> with a kind of softmax-cross-entropy, binary-cross-entropy, mean-squared-error, mean-absolute-error, huber or model, but is 'median:y'
