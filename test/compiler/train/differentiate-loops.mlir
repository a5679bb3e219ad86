// RUN: nacre-opt %s --nacre-differentiate="losses=model:y" --canonicalize --cse | FileCheck %s

// h = tanh(h W + x) for five iterations. The way there keeps what tanh was computed of, so that the way back multiplies once per
// iteration, by W; W's own gradient is one product of the rows of all iterations, behind the loop.
// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[X:[^ ,:()]+]]: tensor<5x2x3xf32>
// CHECK-SAME: %[[W:[^ ,:()]+]]: tensor<3x3xf32>
// CHECK:      nn.for 5 {{.*}} scanned(%[[X]] : tensor<5x2x3xf32>) -> (tensor<2x3xf32>, tensor<5x2x3xf32>, tensor<5x2x3xf32>) {
// CHECK:        nn.matmul
// CHECK:        %[[SUM:[^ ,:()]+]] = nn.binary add
// CHECK:        nn.unary tanh %[[SUM]]
// CHECK:        nn.yield {{.*}} stacked(%{{.*}}, %[[SUM]] :
// CHECK:      %[[BACK:[^ ,:()]+]]:2 = nn.for 5 {{.*}} reverse -> (tensor<2x3xf32>, tensor<5x2x3xf32>) {
// CHECK:        nn.matmul {{.*}} : tensor<2x3xf32>, tensor<3x3xf32>
// CHECK-NOT:    nn.matmul
// CHECK:        nn.yield
// CHECK:      nn.reshape {{.*}} to tensor<10x3xf32>
// CHECK:      nn.reshape %[[BACK]]#1 {{.*}} to tensor<10x3xf32>
// CHECK:      nn.matmul {{.*}} : tensor<3x10xf32>, tensor<10x3xf32>
func.func @train(%x: tensor<5x2x3xf32> {nn.name = "x"}, %w: tensor<3x3xf32> {nn.variable = "w", nn.role = "weight"},
                 %h0: tensor<2x3xf32> {nn.name = "h0"}) -> (tensor<f32> {nn.name = "y"}) {
  %last = nn.for 5 carried(%h0 : tensor<2x3xf32>) scanned(%x : tensor<5x2x3xf32>) -> (tensor<2x3xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x3xf32>, %row: tensor<2x3xf32>):
    %p = nn.matmul %h, %w : tensor<2x3xf32>, tensor<3x3xf32>
    %s = nn.binary add %p, %row : tensor<2x3xf32>, tensor<2x3xf32>
    %t = nn.unary tanh %s : tensor<2x3xf32>
    nn.yield %t : tensor<2x3xf32>
  }
  %y = nn.reduce mean %last {axes = array<i64: 0, 1>} : tensor<2x3xf32>
  return %y : tensor<f32>
}
