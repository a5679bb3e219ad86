// RUN: nacre-opt %s --nacre-place-kernels="engines=split percent=50" | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=auto device=%S/Inputs/late-phone.json" | FileCheck %s --check-prefix=AUTO

// A launch whose engine is settled keeps it, whatever is asked for the others.

// CHECK-LABEL: plan.entry @settled
// CHECK:         cpu = array<i64: 2, 4>, gpu = array<i64: 0, 2>
// CHECK:         cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>{{.*}}plan.engine = "cpu"
// CHECK:         cpu = array<i64: 4, 4>, gpu = array<i64: 0, 4>{{.*}}plan.engine = "gpu"
// AUTO-LABEL:  plan.entry @settled
// AUTO:          cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>
// AUTO:          cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>{{.*}}plan.engine = "cpu"
// AUTO:          cpu = array<i64: 4, 4>, gpu = array<i64: 0, 4>{{.*}}plan.engine = "gpu"
plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @settled {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  plan.launch @k(%x) into(%y) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%x) into(%y) {plan.engine = "cpu"} : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%x) into(%y) {plan.engine = "gpu"} : (memref<4xf32>) into (memref<4xf32>)
}
