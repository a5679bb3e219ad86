// RUN: nacre-opt %s | nacre-opt | FileCheck %s

// Loops and conditionals print as they are read, and nest. A region without launches keeps its block.

// CHECK-LABEL: plan.entry @nested
// CHECK:         plan.for 100 count %{{[^ ]+}} : memref<i64> {
// CHECK-NEXT:    ^bb0(%[[T:[^ ]+]]: index):
// CHECK-NEXT:      plan.view %{{[^ ]+}}[%[[T]]] {step = 4 : i64}
// CHECK-NEXT:      plan.while bound 64 {
// CHECK-NEXT:      ^bb0(%[[ASKED:[^ ]+]]: index):
// CHECK-NEXT:        plan.view %{{[^ ]+}}[%[[ASKED]]] {step = 1 : i64}
// CHECK-NEXT:        plan.launch @less
// CHECK-NEXT:        plan.condition %{{[^ ]+}} : memref<i8>
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb0(%[[U:[^ ]+]]: index):
// CHECK-NEXT:        plan.view %{{[^ ]+}}[%[[U]]] {offset = 63 : i64, step = -1 : i64}
// CHECK-NEXT:        plan.if %{{[^ ]+}} : memref<1xi8> {
// CHECK-NEXT:          plan.launch @small
// CHECK-NEXT:        } else {
// CHECK-NEXT:          plan.while {
// CHECK-NEXT:            plan.condition
// CHECK-NEXT:          } do {
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      plan.if %{{[^ ]+}} : memref<1xi8> {
// CHECK-NEXT:        plan.launch @large
// CHECK-NEXT:      }
// CHECK-NEXT:    }
plan.entry @nested {
  %n = plan.storage input "n" 0 : memref<i64>
  %rows = plan.storage input "rows" 1 : memref<100x4xf32>
  %near = plan.storage input "near" 2 : memref<1xi8>
  %go = plan.storage temporary : memref<i8>
  %y = plan.storage output "y" 0 : memref<64xf32>
  plan.for 100 count %n : memref<i64> {
  ^bb0(%t: index):
    %row = plan.view %rows[%t] {step = 4 : i64} : memref<100x4xf32> to memref<4xf32>
    plan.while bound 64 {
    ^bb0(%asked: index):
      %from = plan.view %y[%asked] {step = 1 : i64} : memref<64xf32> to memref<f32>
      plan.launch @less(%from) into(%go) : (memref<f32>) into (memref<i8>)
      plan.condition %go : memref<i8>
    } do {
    ^bb0(%u: index):
      %at = plan.view %y[%u] {offset = 63 : i64, step = -1 : i64} : memref<64xf32> to memref<f32>
      plan.if %near : memref<1xi8> {
        plan.launch @small(%n) into(%at) : (memref<i64>) into (memref<f32>)
      } else {
        plan.while {
          plan.condition %go : memref<i8>
        } do {
        }
      }
    }
    plan.if %near : memref<1xi8> {
      plan.launch @large(%row) into(%y) : (memref<4xf32>) into (memref<64xf32>)
    }
  }
}

// While launches work on tensors, what is read may be one.

// CHECK-LABEL: plan.entry @on_tensors
// CHECK:         plan.for 3 count %{{[^ ]+}} : tensor<i64>
// CHECK:         plan.if %{{[^ ]+}} : tensor<i8>
plan.entry @on_tensors {
  %n = plan.storage input "n" 0 : tensor<i64>
  %c = plan.storage input "c" 1 : tensor<i8>
  plan.for 3 count %n : tensor<i64> {
  ^bb0(%t: index):
    plan.if %c : tensor<i8> {
    }
  }
}
