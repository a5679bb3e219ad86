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

// What a loop touches is alive for all its turns: %b is written after %a's last use, but a next turn reads %a again.

// CHECK-LABEL: plan.entry @loop_is_one_step attributes {arena_bytes = 80 : i64}
plan.entry @loop_is_one_step {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %a = plan.storage temporary : memref<4xf32>
  %b = plan.storage temporary : memref<4xf32>
  plan.for 10 {
  ^bb0(%t: index):
    plan.launch @k(%x) into(%a) : (memref<4xf32>) into (memref<4xf32>)
    plan.launch @sink(%a) into(%b) : (memref<4xf32>) into (memref<4xf32>)
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
