// RUN: nacre-opt %s --nacre-form-kernels | FileCheck %s --check-prefixes=CHECK,FORMED
// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages | FileCheck %s --check-prefixes=CHECK,ASSIGNED

// What the integers of inputs and outputs stand for stays with their storages. A state is neither.

// CHECK-LABEL:  plan.entry @main
// CHECK-DAG:    plan.storage input "x" 0 {nn.quantization = {axis = 1 : i64, scales = array<f32: 5.000000e-01, 2.500000e-01>, zeros = array<i32: 0, 1>}}
// CHECK-DAG:    plan.storage state "a" 0 :
// FORMED-DAG:   plan.output %{{[^ ]+}}, "y" 0 {nn.quantization = {axis = 0 : i64, scales = array<f32: 2.000000e+00>, zeros = array<i32: 3>}}
// FORMED-DAG:   plan.output %{{[^ ]+}}, "a" 0 {plan.becomes_state}
// ASSIGNED-DAG: plan.storage output "y" 0 {nn.quantization = {axis = 0 : i64, scales = array<f32: 2.000000e+00>, zeros = array<i32: 3>}}
func.func @main(%x: tensor<3x2xi8> {nn.name = "x", nn.quantization = {axis = 1 : i64, scales = array<f32: 0.5, 0.25>, zeros = array<i32: 0, 1>}},
                %a: tensor<3x2xi8> {nn.name = "a", nn.variable = "a", nn.quantization = {axis = 0 : i64, scales = array<f32: 2.0>, zeros = array<i32: 3>}})
    -> (tensor<3x2xi8> {nn.name = "y", nn.quantization = {axis = 0 : i64, scales = array<f32: 2.0>, zeros = array<i32: 3>}},
        tensor<3x2xi8> {nn.name = "next", nn.variable = "a", nn.quantization = {axis = 0 : i64, scales = array<f32: 2.0>, zeros = array<i32: 3>}}) {
  %y = nn.binary max %x, %a : tensor<3x2xi8>, tensor<3x2xi8>
  %z = nn.binary min %x, %a : tensor<3x2xi8>, tensor<3x2xi8>
  return %y, %z : tensor<3x2xi8>, tensor<3x2xi8>
}
