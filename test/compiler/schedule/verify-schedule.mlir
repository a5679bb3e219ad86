// RUN: nacre-opt %s --nacre-verify-schedule | FileCheck %s

// A correct schedule is left alone: storages that meet lie apart, ranges lie on the cut axis.

// CHECK-LABEL: plan.entry @main
plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @main attributes {arena_bytes = 80 : i64} {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %a = plan.storage temporary {offset = 0 : i64} : memref<4xf32>
  %b = plan.storage temporary {offset = 64 : i64} : memref<4xf32>
  plan.launch @k(%x) into(%a) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%a) into(%b) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%b) into(%y) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
}
