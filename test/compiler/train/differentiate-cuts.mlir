// RUN: not nacre-opt %s --nacre-differentiate="losses=mean-squared-error:y" 2>&1 | FileCheck %s

// Gradients that end on every way are an error that says where.
// CHECK: the loss must depend on a trained weight, but does not; gradients stop at 'rounded'
func.func @train(%x: tensor<2x3xf32> {nn.name = "x"}, %w: tensor<3xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<2x3xf32> {nn.name = "y"}) {
  %0 = nn.binary mul %x, %w : tensor<2x3xf32>, tensor<3xf32>
  %1 = nn.unary round %0 : tensor<2x3xf32> loc("rounded")
  return %1 : tensor<2x3xf32>
}
