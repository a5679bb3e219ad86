// RUN: nacre-opt %s --nacre-assign-engine | FileCheck %s --check-prefix=CPU
// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu | FileCheck %s --check-prefix=GPU
// RUN: nacre-opt %s --nacre-assign-engine --nacre-assign-engine=engine=any | FileCheck %s --check-prefix=ANY
// RUN: not nacre-opt %s --nacre-assign-engine=engine=tpu 2>&1 | FileCheck %s --check-prefix=UNKNOWN
//
// One note on the module is one for all operators in it.

// CPU: module attributes {plan.engine = "cpu"}
// CPU-LABEL: func.func @documented_example
// GPU: module attributes {plan.engine = "gpu"}
// ANY-NOT: plan.engine
// UNKNOWN: --engine option: Cannot find option named 'tpu'
func.func @documented_example(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) {
  return %x : tensor<4xf32>
}
