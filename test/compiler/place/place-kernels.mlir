// RUN: nacre-opt %s --nacre-place-kernels | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=split percent=50" | FileCheck %s --check-prefix=HALF
// RUN: nacre-opt %s --nacre-place-kernels=engines=gpu | FileCheck %s --check-prefix=GPU

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

// A share of the GPU's is a multiple of the grain: half of 10, in steps of 4, is 4.

// HALF-LABEL: plan.entry @grain
// HALF:         plan.launch @coarse(%{{.*}}) into(%{{.*}}) {cpu = array<i64: 4, 10>, gpu = array<i64: 0, 4>}
// GPU-LABEL:  plan.entry @grain
// GPU:          plan.launch @coarse(%{{.*}}) into(%{{.*}}) {cpu = array<i64: 10, 10>, gpu = array<i64: 0, 10>}
plan.kernel @coarse nest (%x: tensor<10xf32>) into (%y: tensor<10xf32>) cut 0 : 10 by 4 {
  plan.yield %x : tensor<10xf32>
}

plan.entry @grain {
  %x = plan.storage input "x" 0 : memref<10xf32>
  %y = plan.storage output "y" 0 : memref<10xf32>
  plan.launch @coarse(%x) into(%y) : (memref<10xf32>) into (memref<10xf32>)
}
