// RUN: nacre-opt %s --nacre-differentiate="losses=model:y scale-loss" --nacre-add-update="optimizer=sgd scale-loss entries=train" | FileCheck %s

// One sum takes the 512 sums of a large gradient's magnitudes and small gradients as they are, those of the highest power of two first.

// CHECK-LABEL: func.func @train(
// CHECK-DAG: %[[LARGE:[^ ,:()]+]] = nn.reshape %{{.*}} : tensor<4096x3xf32> to tensor<512x24xf32>
// CHECK-DAG: %[[ABS:[^ ,:()]+]] = nn.unary abs %[[LARGE]] : tensor<512x24xf32>
// CHECK-DAG: %[[SUMS:[^ ,:()]+]] = nn.reduce sum %[[ABS]] {axes = array<i64: 1>} : tensor<512x24xf32>
// CHECK-DAG: %[[ALL:[^ ,:()]+]] = nn.concat %[[SUMS]], %{{[^ ,]+}} {axis = 0 : i64} : tensor<512xf32>, tensor<3xf32>
// CHECK: %[[MAGNITUDES:[^ ,:()]+]] = nn.unary abs %[[ALL]] : tensor<515xf32>
// CHECK: %[[SUM:[^ ,:()]+]] = nn.reduce sum %[[MAGNITUDES]] {axes = array<i64: 0>} : tensor<515xf32>
// CHECK: nn.binary less_equal %[[SUM]],
func.func @train(%x: tensor<2x4096xf32> {nn.name = "x"}, %b: tensor<3xf32> {nn.variable = "b", nn.role = "weight"},
                 %w: tensor<4096x3xf32> {nn.variable = "w", nn.role = "weight"}) -> (tensor<1xf32> {nn.name = "y", nn.watched}) {
  %0 = nn.matmul %x, %w : tensor<2x4096xf32>, tensor<4096x3xf32>
  %1 = nn.binary add %0, %b : tensor<2x3xf32>, tensor<3xf32>
  %2 = nn.reduce sum %1 {axes = array<i64: 0, 1>} : tensor<2x3xf32>
  %3 = nn.reshape %2 : tensor<f32> to tensor<1xf32>
  return %3 : tensor<1xf32>
}
