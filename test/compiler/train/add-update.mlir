// RUN: nacre-opt %s --nacre-add-update="optimizer=sgd:momentum=0.9 entries=train,gradients" | FileCheck %s
// RUN: nacre-opt %s --nacre-add-update="optimizer=adam entries=train clip=norm:1 accumulate" | FileCheck %s --check-prefix=ADAM

// CHECK-LABEL: module @documented_example
module @documented_example {
// The example of the pass's documentation: v becomes 0.9 v + g, and w becomes w - rate v.
// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[G:[^ ,:()]+]]: tensor<4xf32> {nn.name = "g"}, %[[RATE:[^ ,:()]+]]: tensor<f32> {nn.name = "learning_rate"},
// CHECK-SAME: %[[W:[^ ,:()]+]]: tensor<4xf32> {nn.role = "weight", nn.variable = "w"}, %{{[^ ,:()]+}}: tensor<i64> {nn.role = "counter", nn.variable = "#step"},
// CHECK-SAME: %[[V:[^ ,:()]+]]: tensor<4xf32> {nn.role = "moment", nn.variable = "w#momentum"})
// CHECK-SAME: -> (tensor<i64> {nn.variable = "#step"}, tensor<4xf32> {nn.variable = "w"}, tensor<4xf32> {nn.variable = "w#momentum"})
// CHECK: %[[OLD:[^ ,:()]+]] = nn.binary mul %[[V]], %{{.*}}
// CHECK: %[[NEW:[^ ,:()]+]] = nn.binary add %[[OLD]], %[[G]]
// CHECK: %[[STEP:[^ ,:()]+]] = nn.binary mul %[[NEW]], %[[RATE]]
// CHECK: %[[WEIGHT:[^ ,:()]+]] = nn.binary sub %[[W]], %[[STEP]]
// CHECK: return %{{.*}}, %[[WEIGHT]], %[[NEW]]
// CHECK-LABEL: func.func @gradients(
// CHECK-SAME: -> (tensor<4xf32> {nn.name = "w#gradient"})

// ADAM-LABEL: func.func @train(
// ADAM-SAME: nn.variable = "w#sum"
// ADAM-SAME: nn.role = "counter", nn.variable = "#step"
// ADAM-SAME: nn.variable = "w#m"
// ADAM-SAME: nn.variable = "w#v"
// ADAM-SAME: tensor<f32> {nn.name = "gradient_norm"}
// 1 - beta^step is -expm1(step * log(beta)), without f64 and without cancellation.
// ADAM-NOT: tensor<f64>
// The number of steps is at least 1, whatever a state has.
// ADAM: %[[LEAST:[^ ,:()]+]] = nn.binary min %{{.*}} : tensor<i64>, tensor<i64>
// ADAM: %[[FIRST:[^ ,:()]+]] = nn.constant dense<1> : tensor<i64>
// ADAM: %[[COUNTED:[^ ,:()]+]] = nn.binary max %[[LEAST]], %[[FIRST]] : tensor<i64>, tensor<i64>
// ADAM: %[[WORD:[^ ,:()]+]] = nn.cast %[[COUNTED]] : tensor<i64> to tensor<i32>
// ADAM: %[[STEP:[^ ,:()]+]] = nn.cast %[[WORD]] : tensor<i32> to tensor<f32>
// ADAM: %[[EXPONENT:[^ ,:()]+]] = nn.binary mul %[[STEP]], %{{.*}}
// ADAM-NEXT: %[[POWER:[^ ,:()]+]] = nn.unary elu %[[EXPONENT]] {alpha = 1.000000e+00 : f64}
// ADAM-NEXT: nn.unary neg %[[POWER]]
// ADAM-NOT: tensor<f64>
// ADAM-LABEL: func.func @accumulate(
// ADAM-NOT: learning_rate
// ADAM: -> (tensor<4xf32> {nn.variable = "w#sum"}, tensor<f32> {nn.variable = "#batches"})
func.func @train(%g: tensor<4xf32> {nn.name = "g"}, %w: tensor<4xf32> {nn.variable = "w", nn.role = "weight"})
    -> (tensor<4xf32> {nn.gradient = "w"}) {
  return %g : tensor<4xf32>
}
}
