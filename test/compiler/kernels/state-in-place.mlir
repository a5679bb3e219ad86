// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages=overwrites --split-input-file | FileCheck %s

// What a state becomes is written where it lies by a launch that is the last to read it, each element where it writes it.

// CHECK-LABEL: plan.entry @train
// CHECK-DAG:     %[[G:[^ ]+]] = plan.storage input "g" 0 : memref<4xf32>
// CHECK-DAG:     %[[W:[^ ]+]] = plan.storage state "w" 0 : memref<4xf32>
// CHECK-DAG:     %[[V:[^ ]+]] = plan.storage state "v" 1 : memref<4xf32>
// CHECK:         plan.launch @mul_0(%[[V]], %[[G]]) into(%[[V]])
// CHECK:         plan.launch @sub_0(%[[W]], %[[V]]) into(%[[W]])
// CHECK-NOT:     plan.launch
func.func @train(%g: tensor<4xf32> {nn.name = "g"}, %w: tensor<4xf32> {nn.variable = "w"}, %v: tensor<4xf32> {nn.variable = "v"})
    -> (tensor<4xf32> {nn.variable = "w"}, tensor<4xf32> {nn.variable = "v"}) {
  %0 = nn.binary mul %v, %v : tensor<4xf32>, tensor<4xf32>
  %1 = nn.binary add %0, %g : tensor<4xf32>, tensor<4xf32>
  %2 = nn.binary sub %w, %1 : tensor<4xf32>, tensor<4xf32>
  return %2, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Of two states that become each other neither is; nor is one that is read later, or in another order than it is written.

// CHECK-LABEL: plan.entry @late
// CHECK-DAG:     %[[A:[^ ]+]] = plan.storage state "a" 0 : memref<4xf32>
// CHECK-DAG:     %[[B:[^ ]+]] = plan.storage state "b" 1 : memref<2x2xf32>
// CHECK-DAG:     %[[Y:[^ ]+]] = plan.storage output "y" 0 : memref<4xf32>
// CHECK:         plan.launch @add_0(%[[A]]) into(%[[NEXT_A:[^ ]+]])
// CHECK:         plan.launch @transpose_0(%[[B]]) into(%[[NEXT_B:[^ ]+]])
// CHECK:         plan.launch @{{.*}}(%[[A]]{{.*}}) into(%[[Y]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[NEXT_A]]) into(%[[A]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[NEXT_B]]) into(%[[B]])
func.func @late(%a: tensor<4xf32> {nn.variable = "a"}, %b: tensor<2x2xf32> {nn.variable = "b"})
    -> (tensor<4xf32> {nn.variable = "a"}, tensor<2x2xf32> {nn.variable = "b"}, tensor<4xf32> {nn.name = "y"}) {
  %0 = nn.binary add %a, %a : tensor<4xf32>, tensor<4xf32>
  %1 = nn.transpose %b [1, 0] : tensor<2x2xf32>
  %2 = nn.binary mul %a, %0 : tensor<4xf32>, tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}
