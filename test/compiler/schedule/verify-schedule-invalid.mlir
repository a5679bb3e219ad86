// RUN: nacre-opt %s --nacre-verify-schedule --split-input-file --verify-diagnostics

// expected-error@+2 {{must have arena_bytes after the schedule phase}}
// expected-note@+1 {{likely a missing case in nacre-plan-arena}}
plan.entry @no_arena {
}

// -----

plan.entry @documented_example attributes {arena_bytes = 16 : i64} {
  // expected-error@+2 {{must have an offset after the schedule phase}}
  // expected-note@+1 {{likely a missing case in nacre-plan-arena}}
  %a = plan.storage temporary : memref<4xf32>
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @outside attributes {arena_bytes = 8 : i64} {
  %x = plan.storage input "x" 0 : memref<4xf32>
  // expected-error@+2 {{must lie inside the arena}}
  // expected-note@+1 {{likely a missing case in nacre-plan-arena}}
  %a = plan.storage temporary {offset = 0 : i64} : memref<4xf32>
  plan.launch @k(%x) into(%a) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @overlap attributes {arena_bytes = 64 : i64} {
  %x = plan.storage input "x" 0 : memref<4xf32>
  // expected-note@+1 {{the other storage}}
  %a = plan.storage temporary {offset = 0 : i64} : memref<4xf32>
  // expected-error@+2 {{must not share bytes with a storage alive at the same step}}
  // expected-note@+1 {{likely a missing case in nacre-plan-arena}}
  %b = plan.storage temporary {offset = 8 : i64} : memref<4xf32>
  plan.launch @k(%x) into(%a) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
  plan.launch @k(%a) into(%b) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @no_ranges attributes {arena_bytes = 0 : i64} {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  // expected-error@+2 {{must have ranges on the cut axis}}
  // expected-note@+1 {{likely a missing case in nacre-place-kernels}}
  plan.launch @k(%x) into(%y) {cpu = array<i64: 0, 5>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @wrong_shape attributes {arena_bytes = 0 : i64} {
  %x = plan.storage input "x" 0 : memref<2xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  // expected-error@+1 {{operand 0 must be a storage of 'tensor<4xf32>', but is 'memref<2xf32>'}}
  plan.launch @k(%x) into(%y) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<2xf32>) into (memref<4xf32>)
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 attributes {plan.gpu_declined = "points: not its form"} {
  plan.yield %x : tensor<4xf32>
}
plan.entry @no_code attributes {arena_bytes = 0 : i64} {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  // expected-error@+2 {{must be only the CPU's, because no GPU has code for it}}
  // expected-note@+1 {{likely a missing case in nacre-place-kernels}}
  plan.launch @k(%x) into(%y) {cpu = array<i64: 4, 4>, gpu = array<i64: 0, 4>} : (memref<4xf32>) into (memref<4xf32>)
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @decided_by_a_run attributes {arena_bytes = 0 : i64} {
  %c = plan.storage input "c" 0 : memref<i8>
  %x = plan.storage input "x" 1 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  plan.if %c : memref<i8> {
    // expected-error@+2 {{must be only the CPU's, because its number of executions is decided at run time}}
    // expected-note@+1 {{likely a missing case in nacre-place-kernels}}
    plan.launch @k(%x) into(%y) {cpu = array<i64: 2, 4>, gpu = array<i64: 0, 2>} : (memref<4xf32>) into (memref<4xf32>)
  }
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @endless attributes {arena_bytes = 64 : i64} {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %go = plan.storage input "go" 1 : memref<i8>
  %s = plan.storage state "s" 0 : memref<4xf32>
  plan.while bound 8 {
    plan.condition %go : memref<i8>
  } do {
  }
  plan.launch @k(%x) into(%s) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
  plan.while bound 8 {
    plan.condition %go : memref<i8>
  } do {
  }
  // expected-error@+2 {{must come before every launch that writes the state, as it may be endless}}
  // expected-note@+1 {{likely a missing case in nacre-order-launches}}
  plan.while {
    plan.condition %go : memref<i8>
  } do {
  }
}

// -----

// The last row of a view may end behind its storage; what the kernel reads of it may not.
plan.kernel @k nest (%x: tensor<2x8xf32>) into (%y: tensor<2x4xf32>) cut 0 : 2 by 1 {
  %0 = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  plan.yield %0 : tensor<2x4xf32>
}
plan.entry @reads_behind_the_end attributes {arena_bytes = 0 : i64} {
  %x = plan.storage input "x" 0 : memref<2x8xf32>
  %y = plan.storage output "y" 0 : memref<2x4xf32>
  %last = plan.view %x {offset = 4 : i64} : memref<2x8xf32> to memref<2x8xf32>
  plan.launch @k(%last) into(%y) {cpu = array<i64: 0, 2>, gpu = array<i64: 0, 0>} : (memref<2x8xf32>) into (memref<2x4xf32>)
  %behind = plan.view %x {offset = 5 : i64} : memref<2x8xf32> to memref<2x8xf32>
  // expected-error@+2 {{operand 0 must lie inside its storage}}
  // expected-note@+1 {{likely a missing case in nacre-assign-storages}}
  plan.launch @k(%behind) into(%y) {cpu = array<i64: 0, 2>, gpu = array<i64: 0, 0>} : (memref<2x8xf32>) into (memref<2x4xf32>)
}
