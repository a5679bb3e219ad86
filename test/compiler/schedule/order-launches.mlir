// RUN: nacre-opt %s --split-input-file --pass-pipeline='builtin.module(plan.entry(nacre-order-launches))' | FileCheck %s
// RUN: nacre-opt %s --split-input-file --pass-pipeline='builtin.module(plan.entry(nacre-order-launches{short}))' \
// RUN:   | FileCheck %s --check-prefix=SHORT

// The example of the pass's documentation: what @code reads is needed no longer then, and the state is written as soon as it can be.

// CHECK-LABEL: plan.entry @documented_example
// CHECK:         plan.launch @layer(%{{.*}}) into(%[[X:[^ ,:()]+]])
// CHECK-NEXT:    plan.launch @pool(%[[X]])
// CHECK-NEXT:    plan.launch @code(%[[X]], 
// CHECK-NEXT:    plan.launch @layer
// CHECK-NEXT:    plan.launch @update
plan.entry @documented_example {
  %in = plan.storage input "in" 0 : memref<1024xf32>
  %w = plan.storage state "w" 0 : memref<64xf32>
  %x = plan.storage temporary : memref<1024xf32>
  %pooled = plan.storage temporary : memref<256xf32>
  %code = plan.storage temporary : memref<256xi8>
  %y = plan.storage temporary : memref<1024xf32>
  plan.launch @layer(%in) into(%x) : (memref<1024xf32>) into (memref<1024xf32>)
  plan.launch @pool(%x) into(%pooled) : (memref<1024xf32>) into (memref<256xf32>)
  plan.launch @layer(%pooled) into(%y) : (memref<256xf32>) into (memref<1024xf32>)
  plan.launch @code(%x, %pooled) into(%code) : (memref<1024xf32>, memref<256xf32>) into (memref<256xi8>)
  %part = plan.view %y : memref<1024xf32> to memref<64x16xf32>
  plan.launch @update(%part, %code) into(%w) : (memref<64x16xf32>, memref<256xi8>) into (memref<64xf32>)
}

// -----

// An entry that writes no state keeps its order.

// CHECK-LABEL: plan.entry @inference
// CHECK:         plan.launch @first
// CHECK-NEXT:    plan.launch @second
// CHECK-NEXT:    plan.launch @third
plan.entry @inference {
  %in = plan.storage input "in" 0 : memref<16xf32>
  %out = plan.storage output "out" 0 : memref<16xf32>
  %other = plan.storage output "other" 1 : memref<16xf32>
  %x = plan.storage temporary : memref<1024xf32>
  %y = plan.storage temporary : memref<1024xf32>
  plan.launch @first(%in) into(%x) : (memref<16xf32>) into (memref<1024xf32>)
  plan.launch @second(%in) into(%y) : (memref<16xf32>) into (memref<1024xf32>)
  plan.launch @third(%x) into(%out) : (memref<1024xf32>) into (memref<16xf32>)
  plan.launch @fourth(%y) into(%other) : (memref<1024xf32>) into (memref<16xf32>)
}

// -----

// The most is alive at the end, whatever comes first: only under a cap that is shortened.

// CHECK-LABEL: plan.entry @as_large
// CHECK:         plan.launch @first
// CHECK-NEXT:    plan.launch @other
// CHECK-NEXT:    plan.launch @code
// SHORT-LABEL: plan.entry @as_large
// SHORT:         plan.launch @first
// SHORT-NEXT:    plan.launch @code
// SHORT-NEXT:    plan.launch @other
plan.entry @as_large {
  %w = plan.storage state "w" 0 : memref<16xf32>
  %x = plan.storage temporary : memref<64xf32>
  %y = plan.storage temporary : memref<64xf32>
  %code = plan.storage temporary : memref<4xf32>
  %large = plan.storage temporary : memref<1024xf32>
  plan.launch @first(%w) into(%x) : (memref<16xf32>) into (memref<64xf32>)
  plan.launch @other(%w) into(%y) : (memref<16xf32>) into (memref<64xf32>)
  plan.launch @code(%x) into(%code) : (memref<64xf32>) into (memref<4xf32>)
  plan.launch @last(%y, %code) into(%large) : (memref<64xf32>, memref<4xf32>) into (memref<1024xf32>)
  plan.launch @update(%large) into(%w) : (memref<1024xf32>) into (memref<16xf32>)
}

// -----

// Written early, the state would let less be alive; but a run that is ended in the loop must not have written it.

// CHECK-LABEL: plan.entry @endless
// CHECK-NOT:     plan.launch @update
// CHECK:         plan.while
// CHECK:         plan.launch @update
plan.entry @endless {
  %in = plan.storage input "in" 0 : memref<1024xf32>
  %go = plan.storage input "go" 1 : memref<i8>
  %w = plan.storage state "w" 0 : memref<64xf32>
  %x = plan.storage temporary : memref<1024xf32>
  %y = plan.storage temporary : memref<1024xf32>
  %z = plan.storage output "z" 0 : memref<64xf32>
  plan.launch @layer(%in) into(%x) : (memref<1024xf32>) into (memref<1024xf32>)
  plan.while {
    plan.launch @layer(%in) into(%y) : (memref<1024xf32>) into (memref<1024xf32>)
    plan.condition %go : memref<i8>
  } do {
  }
  plan.launch @last(%y) into(%z) : (memref<1024xf32>) into (memref<64xf32>)
  plan.launch @update(%x) into(%w) : (memref<1024xf32>) into (memref<64xf32>)
}

// CHECK-LABEL: plan.entry @bounded
// CHECK:         plan.launch @layer
// CHECK-NEXT:    plan.launch @update
// CHECK:         plan.while
plan.entry @bounded {
  %in = plan.storage input "in" 0 : memref<1024xf32>
  %go = plan.storage input "go" 1 : memref<i8>
  %w = plan.storage state "w" 0 : memref<64xf32>
  %x = plan.storage temporary : memref<1024xf32>
  %y = plan.storage temporary : memref<1024xf32>
  %z = plan.storage output "z" 0 : memref<64xf32>
  plan.launch @layer(%in) into(%x) : (memref<1024xf32>) into (memref<1024xf32>)
  plan.while bound 8 {
    plan.launch @layer(%in) into(%y) : (memref<1024xf32>) into (memref<1024xf32>)
    plan.condition %go : memref<i8>
  } do {
  }
  plan.launch @last(%y) into(%z) : (memref<1024xf32>) into (memref<64xf32>)
  plan.launch @update(%x) into(%w) : (memref<1024xf32>) into (memref<64xf32>)
}

// -----

// If the GPU computes everything, steps that touch nothing that one of them writes come next to one another: the sums of the weight's
// gradient and those of the bias, then both updates and the gradient of the input.

// CHECK-LABEL: plan.entry @side_by_side attributes {plan.side_by_side}
// CHECK:         plan.launch @bias_parts
// CHECK-NEXT:    plan.launch @weight_parts
// CHECK-NEXT:    plan.launch @input
// CHECK-NEXT:    plan.launch @update_bias
// CHECK-NEXT:    plan.launch @update_weight
// SHORT-LABEL: plan.entry @side_by_side {
plan.entry @side_by_side {
  %dy = plan.storage input "dy" 0 : memref<64xf32>
  %dx = plan.storage output "dx" 0 : memref<64xf32>
  %b = plan.storage state "b" 0 : memref<8xf32>
  %w = plan.storage state "w" 1 : memref<64xf32>
  %ofb = plan.storage temporary : memref<64xf32>
  %ofw = plan.storage temporary : memref<512xf32>
  plan.launch @bias_parts(%dy) into(%ofb) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>) into (memref<64xf32>)
  plan.launch @update_bias(%ofb) into(%b) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>) into (memref<8xf32>)
  plan.launch @weight_parts(%dy) into(%ofw) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>) into (memref<512xf32>)
  plan.launch @update_weight(%ofw) into(%w) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<512xf32>) into (memref<64xf32>)
  plan.launch @input(%dy) into(%dx) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>) into (memref<64xf32>)
}

// -----

// So are those of an entry that only reads a state: the cast of the second weight is computed with the first layer, not before it.

// CHECK-LABEL: plan.entry @reads attributes {plan.side_by_side}
// CHECK:         plan.launch @cast_first
// CHECK-NEXT:    plan.launch @first
// CHECK-NEXT:    plan.launch @cast_second
// CHECK-NEXT:    plan.launch @second
// SHORT-LABEL: plan.entry @reads {
plan.entry @reads {
  %x = plan.storage input "x" 0 : memref<64xf32>
  %y = plan.storage output "y" 0 : memref<64xf32>
  %v = plan.storage state "v" 0 : memref<64xf32>
  %w = plan.storage state "w" 1 : memref<64xf32>
  %v16 = plan.storage temporary : memref<64xf16>
  %w16 = plan.storage temporary : memref<64xf16>
  %z = plan.storage temporary : memref<64xf32>
  plan.launch @cast_first(%v) into(%v16) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>) into (memref<64xf16>)
  plan.launch @cast_second(%w) into(%w16) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>) into (memref<64xf16>)
  plan.launch @first(%x, %v16) into(%z) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>, memref<64xf16>) into (memref<64xf32>)
  plan.launch @second(%z, %w16) into(%y) {cpu = array<i64: 8, 8>, gpu = array<i64: 0, 8>} : (memref<64xf32>, memref<64xf16>) into (memref<64xf32>)
}
