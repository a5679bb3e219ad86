// RUN: nacre-opt %s --nacre-merge-kernels | FileCheck %s

// The example of the pass's documentation, with a third kernel that differs in its cut alone: it stays.

// CHECK:       plan.kernel @relu_0
// CHECK-NOT:   plan.kernel @relu_1
// CHECK:       plan.kernel @relu_2
// CHECK-LABEL: plan.entry @documented_example
// CHECK:         plan.launch @relu_0
// CHECK-NEXT:    plan.launch @relu_0
// CHECK-NEXT:    plan.launch @relu_2
plan.kernel @relu_0 nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %0 = linalg.copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.kernel @relu_1 nest (%a: tensor<4xf32>) into (%b: tensor<4xf32>) cut 0 : 4 by 1 {
  %c = linalg.copy ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  plan.yield %c : tensor<4xf32>
}
plan.kernel @relu_2 nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 4 {
  %0 = linalg.copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.entry @documented_example {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %s = plan.storage temporary : memref<4xf32>
  %t = plan.storage temporary : memref<4xf32>
  plan.launch @relu_0(%x) into(%s) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @relu_1(%s) into(%t) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @relu_2(%t) into(%y) : (memref<4xf32>) into (memref<4xf32>)
}
