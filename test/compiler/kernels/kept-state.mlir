// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages | FileCheck %s

// State is read where it lies. What it becomes is computed beside it and copied when all have read it: here the two become
// each other. Inputs and outputs are numbered without it. What it begins with is a weight that no launch reads.

// CHECK:         plan.weight @weight_0 = dense<1.000000e+00> : tensor<4xf32>
// CHECK-LABEL: plan.entry @main
// CHECK-DAG:     %[[X:[^ ]+]] = plan.storage input "x" 0 : memref<4xf32>
// CHECK-DAG:     %[[A:[^ ]+]] = plan.storage state "a" 0 : memref<4xf32>
// CHECK-DAG:     %[[B:[^ ]+]] = plan.storage state "b" 1 {plan.initial = @weight_0} : memref<4xf32>
// CHECK-DAG:     %[[Y:[^ ]+]] = plan.storage output "y" 0 : memref<4xf32>
// CHECK:         plan.launch @add_0(%[[X]], %[[A]]) into(%[[Y]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[B]]) into(%[[NEXT_A:[^ ]+]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[A]]) into(%[[NEXT_B:[^ ]+]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[NEXT_A]]) into(%[[A]])
// CHECK-DAG:     plan.launch @copy_{{[0-9]}}(%[[NEXT_B]]) into(%[[B]])
// CHECK-NOT:     plan.launch
func.func @main(%x: tensor<4xf32> {nn.name = "x"}, %a: tensor<4xf32> {nn.name = "a", nn.variable = "a"},
                %b: tensor<4xf32> {nn.initial = dense<1.0> : tensor<4xf32>, nn.name = "b", nn.variable = "b"})
    -> (tensor<4xf32> {nn.name = "next_a", nn.variable = "a"}, tensor<4xf32> {nn.name = "y"},
        tensor<4xf32> {nn.name = "next_b", nn.variable = "b"}) {
  %y = nn.binary add %x, %a : tensor<4xf32>, tensor<4xf32>
  return %b, %y, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
