// RUN: nacre-opt %s --nacre-place-kernels | FileCheck %s

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}

// The CPU gets all of the cut axis, here 4 elements; inside loops too.

// CHECK-LABEL: plan.entry @documented_example
// CHECK:         plan.launch @k(%{{.*}}) into(%{{.*}}) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>}
// CHECK:         plan.for 3
// CHECK:           plan.launch @k(%{{.*}}) into(%{{.*}}) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>}
plan.entry @documented_example {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  plan.launch @k(%x) into(%y) : (memref<4xf32>) into (memref<4xf32>)
  plan.for 3 {
  ^bb0(%t: index):
    plan.launch @k(%x) into(%y) : (memref<4xf32>) into (memref<4xf32>)
  }
}
