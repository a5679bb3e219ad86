// RUN: nacre-opt %s --nacre-differentiate="losses=softmax-cross-entropy:y" | FileCheck %s
// RUN: nacre-opt %s --nacre-differentiate="losses=softmax-cross-entropy:y,softmax-cross-entropy:z" | FileCheck %s --check-prefix=BOTH

// A run asks whether each label is one of the four classes. Nothing is ignored, so a class stands in its place. Two losses
// of one label allow what both allow.
// CHECK: func.func @train({{.*}}tensor<2xi64> {nn.labels = array<i64: 4, 0>, nn.name = "label"}
// BOTH: func.func @train({{.*}}tensor<2xi64> {nn.labels = array<i64: 3, 0>, nn.name = "label"}
func.func @train(%x: tensor<2x4xf32> {nn.name = "x"}, %w: tensor<4xf32> {nn.variable = "w", nn.role = "weight"},
                 %u: tensor<2x3xf32> {nn.name = "u"}, %v: tensor<3xf32> {nn.variable = "v", nn.role = "weight"})
    -> (tensor<2x4xf32> {nn.name = "y"}, tensor<2x3xf32> {nn.name = "z"}) {
  %0 = nn.binary mul %x, %w : tensor<2x4xf32>, tensor<4xf32>
  %1 = nn.binary mul %u, %v : tensor<2x3xf32>, tensor<3xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x3xf32>
}
