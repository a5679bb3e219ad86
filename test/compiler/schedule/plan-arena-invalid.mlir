// RUN: not nacre-opt %s --pass-pipeline='builtin.module(plan.entry(nacre-plan-arena{alignment=48}))' 2>&1 | FileCheck %s
// RUN: not nacre-opt %s --pass-pipeline='builtin.module(plan.entry(nacre-plan-arena))' 2>&1 | FileCheck %s --check-prefix=SIZE

// CHECK: nacre-plan-arena: alignment must be a power of two, but is 48

// Two of these are 2^63 bytes: their sum must not become a negative number.

// SIZE: 'plan.entry' op must need less than 2^63 bytes for its temporaries
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<4xi8>
  %a = plan.storage temporary : memref<4611686018427387904xi8>
  %b = plan.storage temporary : memref<4611686018427387904xi8>
  plan.launch @k(%x) into(%a) : (memref<4xi8>) into (memref<4611686018427387904xi8>)
  plan.launch @l(%a) into(%b) : (memref<4611686018427387904xi8>) into (memref<4611686018427387904xi8>)
}
