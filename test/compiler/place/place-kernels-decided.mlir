// RUN: nacre-opt %s --nacre-place-kernels=engines=gpu | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=split percent=50" | FileCheck %s --check-prefix=SPLIT
// RUN: nacre-opt %s --nacre-place-kernels="engines=auto device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefix=AUTO
// RUN: nacre-opt %s --nacre-place-kernels="engines=split percent=50 device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefix=COST

// 2 * 256^3 operations: 3.53 ms on either engine.
plan.kernel @product contraction (%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) into (%y: tensor<256x256xf32>) cut 0 : 256 by 8 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<256x256xf32>) -> tensor<256x256xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  plan.yield %0 : tensor<256x256xf32>
}

// What a run decides about is the CPU's as a whole, a static loop inside it too; what is before and behind it is not, nor
// is a static loop.

// CHECK-LABEL: plan.entry @decided
// CHECK:         plan.launch @product{{.*}}cpu = array<i64: 256, 256>, gpu = array<i64: 0, 256>
// CHECK:         plan.if
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:           plan.for 2
// CHECK:             plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:         } else {
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:         plan.for 2 {
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 256, 256>, gpu = array<i64: 0, 256>
// CHECK:         plan.while
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:           plan.condition
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:         plan.for 2 count
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:         plan.for 2 {
// CHECK:           plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:           plan.if
// CHECK:             plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// CHECK:         plan.launch @product{{.*}}cpu = array<i64: 256, 256>, gpu = array<i64: 0, 256>

// SPLIT-LABEL: plan.entry @decided
// SPLIT:         plan.launch @product{{.*}}cpu = array<i64: 128, 256>, gpu = array<i64: 0, 128>
// SPLIT:         plan.if
// SPLIT-COUNT-3:   plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// SPLIT:         plan.for 2 {
// SPLIT:           plan.launch @product{{.*}}cpu = array<i64: 128, 256>, gpu = array<i64: 0, 128>
// SPLIT:         plan.while
// SPLIT-COUNT-5:   plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// SPLIT:         plan.launch @product{{.*}}cpu = array<i64: 128, 256>, gpu = array<i64: 0, 128>

// AUTO-LABEL: plan.entry @decided
// AUTO:         plan.if
// AUTO-COUNT-3:   plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
// AUTO:         plan.while
// AUTO-COUNT-5:   plan.launch @product{{.*}}cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>
plan.entry @decided {
  %a = plan.storage input "a" 0 : memref<256x256xf32>
  %c = plan.storage input "c" 1 : memref<i8>
  %n = plan.storage input "n" 2 : memref<i64>
  %s = plan.storage temporary : memref<256x256xf32>
  %t = plan.storage temporary : memref<256x256xf32>
  %y = plan.storage output "y" 0 : memref<256x256xf32>
  plan.launch @product(%a, %a) into(%s) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  plan.if %c : memref<i8> {
    plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    plan.for 2 {
    ^bb0(%i: index):
      plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    }
  } else {
    plan.launch @product(%a, %s) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  }
  plan.for 2 {
  ^bb0(%i: index):
    plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  }
  plan.while bound 4 {
    plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    plan.condition %c : memref<i8>
  } do {
    plan.launch @product(%t, %a) into(%s) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  }
  plan.for 2 count %n : memref<i64> {
  ^bb0(%i: index):
    plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  }
  plan.for 2 {
  ^bb0(%i: index):
    plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    plan.if %c : memref<i8> {
      plan.launch @product(%s, %a) into(%t) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    }
  }
  plan.launch @product(%t, %a) into(%y) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
}

// A run is expected to have all iterations of a bound, and to take each branch every other time: 1 + 4 * (1 + 1/2) products of
// 3.53 ms, of which the engines share the first and meet once.

// COST-LABEL: plan.entry @expected
// COST-SAME:    plan.meetings = 1 : i64
// COST-SAME:    plan.predicted_ns = array<i64: 23069296, 24735318>
plan.kernel @test nest (%x: tensor<i8>) into (%y: tensor<i8>) cut 0 : 1 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : tensor<i8>) outs(%y : tensor<i8>) {
  ^bb0(%v: i8, %s: i8):
    linalg.yield %v : i8
  } -> tensor<i8>
  plan.yield %0 : tensor<i8>
}
plan.entry @expected {
  %a = plan.storage input "a" 0 : memref<256x256xf32>
  %c = plan.storage input "c" 1 : memref<i8>
  %go = plan.storage temporary : memref<i8>
  %s = plan.storage temporary : memref<256x256xf32>
  %y = plan.storage output "y" 0 : memref<256x256xf32>
  plan.launch @product(%a, %a) into(%s) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  plan.while bound 4 {
    plan.launch @test(%c) into(%go) : (memref<i8>) into (memref<i8>)
    plan.condition %go : memref<i8>
  } do {
    plan.launch @product(%s, %a) into(%y) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    plan.if %c : memref<i8> {
      plan.launch @product(%s, %a) into(%y) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
    }
  }
}
