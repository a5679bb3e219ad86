// RUN: nacre-opt %s --split-input-file --pass-pipeline='builtin.module(plan.entry(nacre-plan-arena))' | FileCheck %s
// RUN: nacre-opt %s --split-input-file --pass-pipeline='builtin.module(plan.entry(nacre-plan-arena{alignment=128}))' \
// RUN:   | FileCheck %s --check-prefix=ALIGN128

// The example of the pass's documentation: %a dies before %c is born, so they share offset 0.

// CHECK-LABEL: plan.entry @documented_example attributes {arena_bytes = 128 : i64}
// CHECK:         %[[A:[^ ,:()]+]] = plan.storage temporary {offset = 0 : i64}
// CHECK:         %[[B:[^ ,:()]+]] = plan.storage temporary {offset = 64 : i64}
// CHECK:         %[[C:[^ ,:()]+]] = plan.storage temporary {offset = 0 : i64}
plan.entry @documented_example {
  %x = plan.storage input "x" 0 : memref<16xf32>
  %y = plan.storage output "y" 0 : memref<16xf32>
  %a = plan.storage temporary : memref<16xf32>
  %b = plan.storage temporary : memref<16xf32>
  %c = plan.storage temporary : memref<16xf32>
  plan.launch @k(%x) into(%a) : (memref<16xf32>) into (memref<16xf32>)
  plan.launch @k(%a) into(%b) : (memref<16xf32>) into (memref<16xf32>)
  plan.launch @k(%b) into(%c) : (memref<16xf32>) into (memref<16xf32>)
  plan.launch @k(%c) into(%y) : (memref<16xf32>) into (memref<16xf32>)
}

// -----

// Storages alive together get disjoint bytes, rounded up to the alignment: 4 floats take 16 bytes, so the second starts at
// 64, or at 128.

// CHECK-LABEL:    plan.entry @alignment attributes {arena_bytes = 80 : i64}
// ALIGN128-LABEL: plan.entry @alignment attributes {arena_bytes = 144 : i64}
plan.entry @alignment {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %a = plan.storage temporary : memref<4xf32>
  %b = plan.storage temporary : memref<4xf32>
  plan.launch @k(%x) into(%a) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%a) into(%b) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%b) into(%y) : (memref<4xf32>) into (memref<4xf32>)
}

// -----

// A view keeps its storage alive: the second temporary must not take the first's bytes while %row is still to be read.

// CHECK-LABEL: plan.entry @view_extends_lifetime attributes {arena_bytes = 80 : i64}
plan.entry @view_extends_lifetime {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %early = plan.storage temporary : memref<1x4xf32>
  %row = plan.view %early : memref<1x4xf32> to memref<4xf32>
  %late = plan.storage temporary : memref<4xf32>
  plan.launch @w(%x) into(%early) : (memref<4xf32>) into (memref<1x4xf32>)
  plan.launch @k(%x) into(%late) : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @add(%row, %late) into(%y) : (memref<4xf32>, memref<4xf32>) into (memref<4xf32>)
}

// -----

// What an iteration reads before it writes it is alive for all iterations: %b is written after %a's last use, but the next iteration
// reads %a.

// CHECK-LABEL: plan.entry @carried_through_a_loop attributes {arena_bytes = 80 : i64}
plan.entry @carried_through_a_loop {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %a = plan.storage temporary : memref<4xf32>
  %b = plan.storage temporary : memref<4xf32>
  plan.launch @k(%x) into(%a) : (memref<4xf32>) into (memref<4xf32>)
  plan.for 10 {
  ^bb0(%t: index):
    plan.launch @k(%a) into(%y) : (memref<4xf32>) into (memref<4xf32>)
    plan.launch @k(%x) into(%b) : (memref<4xf32>) into (memref<4xf32>)
  }
}

// -----

// Inputs and outputs have memory of their own, and a temporary that nothing touches has none.

// CHECK-LABEL: plan.entry @only_temporaries_in_use attributes {arena_bytes = 0 : i64}
// CHECK-NOT:     temporary
plan.entry @only_temporaries_in_use {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %unused = plan.storage temporary : memref<4xf32>
  %view = plan.view %unused : memref<4xf32> to memref<2x2xf32>
  plan.launch @k(%x) into(%y) : (memref<4xf32>) into (memref<4xf32>)
}

// -----

// What an iteration writes before it reads it is not alive beyond its body: %b may lie where %a was, in each iteration, and
// %later where both were. The carried %c keeps its bytes for all iterations.

// CHECK-LABEL: plan.entry @temporaries_of_bodies attributes {arena_bytes = 144 : i64}
// CHECK-DAG:     %[[A:[^ ,:()]+]] = plan.storage temporary {offset = [[SHARED:[0-9]+]] : i64}
// CHECK:         plan.storage temporary {offset = [[SHARED]] : i64}
plan.entry @temporaries_of_bodies {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %a = plan.storage temporary : memref<4xf32>
  %b = plan.storage temporary : memref<4xf32>
  %c = plan.storage temporary : memref<4xf32>
  %d = plan.storage temporary : memref<4xf32>
  plan.launch @k(%x) into(%c) : (memref<4xf32>) into (memref<4xf32>)
  plan.for 10 {
  ^bb0(%t: index):
    plan.launch @add(%x, %c) into(%a) : (memref<4xf32>, memref<4xf32>) into (memref<4xf32>)
    plan.launch @k(%a) into(%d) : (memref<4xf32>) into (memref<4xf32>)
    plan.launch @k(%d) into(%b) : (memref<4xf32>) into (memref<4xf32>)
    plan.launch @add(%b, %c) into(%c) : (memref<4xf32>, memref<4xf32>) into (memref<4xf32>)
  }
  plan.launch @k(%c) into(%y) : (memref<4xf32>) into (memref<4xf32>)
}

// -----

// Only one branch of a conditional runs: what is used in one alone has the bytes of what is used in the other.

// CHECK-LABEL: plan.entry @branches_share attributes {arena_bytes = 16 : i64}
// CHECK-COUNT-2: plan.storage temporary {offset = 0 : i64}
plan.entry @branches_share {
  %c = plan.storage input "c" 0 : memref<i8>
  %x = plan.storage input "x" 1 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %a = plan.storage temporary : memref<4xf32>
  %b = plan.storage temporary : memref<4xf32>
  plan.if %c : memref<i8> {
    plan.launch @k(%x) into(%a) : (memref<4xf32>) into (memref<4xf32>)
    plan.launch @k(%a) into(%y) : (memref<4xf32>) into (memref<4xf32>)
  } else {
    plan.launch @k(%x) into(%b) : (memref<4xf32>) into (memref<4xf32>)
    plan.launch @k(%b) into(%y) : (memref<4xf32>) into (memref<4xf32>)
  }
}

// -----

// A condition is read in every iteration, and its bytes are not those of what the body carries.

// CHECK-LABEL: plan.entry @conditions_are_read attributes {arena_bytes = 65 : i64}
plan.entry @conditions_are_read {
  %n = plan.storage input "n" 0 : memref<i64>
  %i = plan.storage temporary : memref<i64>
  %go = plan.storage temporary : memref<i8>
  plan.launch @zero(%n) into(%i) : (memref<i64>) into (memref<i64>)
  plan.while {
    plan.launch @less(%i, %n) into(%go) : (memref<i64>, memref<i64>) into (memref<i8>)
    plan.condition %go : memref<i8>
  } do {
    plan.launch @increment(%i) into(%i) : (memref<i64>) into (memref<i64>)
  }
}
