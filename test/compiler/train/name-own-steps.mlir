// RUN: nacre-opt %s --nacre-name-own-steps --mlir-print-debuginfo --split-input-file | FileCheck %s

// CHECK-LABEL: module @documented_example
module @documented_example {
// The example of the pass's documentation. `main` has the product, so its name stays. The gradient and the momentum are as large
// as the variable; the rate depends on no input of the network.
// CHECK-LABEL: func.func @train(
// CHECK: nn.matmul %{{.*}} loc(#[[PRODUCT:[^ ]+]])
// CHECK: nn.binary sub %{{.*}} loc(#[[ERROR:[^ ]+]])
// CHECK: nn.transpose %{{.*}} loc(#[[ERROR]])
// CHECK: nn.matmul %{{.*}} loc(#[[GRADIENT:[^ ]+]])
// CHECK: nn.binary mul %{{.*}} loc(#[[RATE:[^ ]+]])
// CHECK: nn.binary mul %{{.*}} loc(#[[STEP:[^ ]+]])
// CHECK: nn.binary sub %{{.*}} loc(#[[STEP]])
// CHECK-DAG: #[[PRODUCT]] = loc("product")
// CHECK-DAG: #[[ERROR]] = loc("grads/error dX")
// CHECK-DAG: #[[GRADIENT]] = loc("grads/w dW")
// CHECK-DAG: #[[RATE]] = loc("decay update")
// CHECK-DAG: #[[STEP]] = loc("opt/apply update")
func.func @main(%x: tensor<2x3xf32> {nn.name = "x"}, %w: tensor<3x1xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<2x1xf32> {nn.name = "y"}) {
  %0 = nn.matmul %x, %w : tensor<2x3xf32>, tensor<3x1xf32> loc("product")
  return %0 : tensor<2x1xf32>
}
func.func @train(%x: tensor<2x3xf32> {nn.name = "x"}, %y: tensor<2x1xf32> {nn.name = "label"},
    %rate: tensor<f32> {nn.name = "rate"}, %w: tensor<3x1xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<2x1xf32> {nn.name = "loss"}, tensor<3x1xf32> {nn.variable = "w"}) {
  %0 = nn.matmul %x, %w : tensor<2x3xf32>, tensor<3x1xf32> loc("product")
  %1 = nn.binary sub %0, %y : tensor<2x1xf32>, tensor<2x1xf32> loc("grads/error")
  %2 = nn.transpose %x [1, 0] : tensor<2x3xf32> loc("grads/error dX")
  %3 = nn.matmul %2, %1 : tensor<3x2xf32>, tensor<2x1xf32> loc("grads/w")
  %4 = nn.binary mul %rate, %rate : tensor<f32>, tensor<f32> loc("decay")
  %5 = nn.binary mul %3, %4 : tensor<3x1xf32>, tensor<f32> loc("opt/apply")
  %6 = nn.binary sub %w, %5 : tensor<3x1xf32>, tensor<3x1xf32> loc("opt/apply")
  return %1, %6 : tensor<2x1xf32>, tensor<3x1xf32>
}
}

// -----

// A gradient that another gradient reads, too, is not only of a weight; nor is one of another type than the variable.
// CHECK-LABEL: func.func @train(
// CHECK: nn.unary exp %{{.*}} loc(#[[FIRST:[^ ]+]])
// CHECK: nn.unary exp %{{.*}} loc(#[[SECOND:[^ ]+]])
// CHECK: nn.reduce sum %{{.*}} loc(#[[SUM:[^ ]+]])
// CHECK-DAG: #[[FIRST]] = loc("first dX")
// CHECK-DAG: #[[SECOND]] = loc("second dW")
// CHECK-DAG: #[[SUM]] = loc("sum dX")
func.func @main(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %0 = nn.unary tanh %x : tensor<4xf32> loc("net")
  return %0 : tensor<4xf32>
}
func.func @train(%x: tensor<4xf32> {nn.name = "x"}, %a: tensor<4xf32> {nn.variable = "a", nn.role = "weight"},
    %b: tensor<4xf32> {nn.variable = "b", nn.role = "weight"})
    -> (tensor<4xf32> {nn.variable = "a"}, tensor<4xf32> {nn.variable = "b"}) {
  %0 = nn.unary tanh %x : tensor<4xf32> loc("net")
  %1 = nn.unary exp %0 : tensor<4xf32> loc("first")
  %2 = nn.unary exp %1 : tensor<4xf32> loc("second")
  %3 = nn.reduce sum %0 {axes = array<i64: 0>} : tensor<4xf32> loc("sum")
  %4 = nn.binary sub %a, %1 : tensor<4xf32>, tensor<4xf32> loc("update a")
  %5 = nn.binary sub %b, %2 : tensor<4xf32>, tensor<4xf32> loc("update b")
  %6 = nn.binary sub %5, %3 : tensor<4xf32>, tensor<f32> loc("update b")
  return %4, %6 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Without `train` there are no steps.
// CHECK: nn.unary exp %{{.*}} loc(#[[NODE:[^ ]+]])
// CHECK: #[[NODE]] = loc("alone")
func.func @main(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %0 = nn.unary exp %x : tensor<4xf32> loc("alone")
  return %0 : tensor<4xf32>
}
