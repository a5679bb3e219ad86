// RUN: nacre-opt %s --nacre-place-kernels="engines=auto device=%S/Inputs/even-phone.json" | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=auto device=%S/Inputs/even-phone.json gpu-precision=fp16" | FileCheck %s --check-prefix=HALF
// RUN: nacre-opt %s --nacre-place-kernels="engines=split percent=50 device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefix=SPLIT
// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefix=CPU
// RUN: nacre-opt %s --nacre-place-kernels="engines=auto device=%S/Inputs/late-phone.json" | FileCheck %s --check-prefix=LATE

// 2 * 256^3 operations: 3.53 ms on either engine, at 9.5 GFLOP/s.
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

plan.kernel @negate nest (%x: tensor<16xf32>) into (%y: tensor<16xf32>) cut 0 : 16 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  plan.yield %0 : tensor<16xf32>
}

plan.weight @w = dense<1.0> : tensor<256x256xf32>

// A cut halves it, less a bit of the GPU's for the meeting: 100 us less of 3.53 ms would be 124.4 rows. Of the grain's multiples,
// 128 is better than 120. Predictions are of each engine alone.

// CHECK-LABEL: plan.entry @one_product
// CHECK-SAME:    plan.meetings = 1
// CHECK:         plan.launch @product
// CHECK-SAME:      {cpu = array<i64: 128, 256>, gpu = array<i64: 0, 128>, plan.predicted_ns = array<i64: 353{{[0-9]+}}, 353{{[0-9]+}}>}
// Products in half precision are twice as fast there: two thirds of the rows.
// HALF-LABEL:  plan.entry @one_product
// HALF:          plan.launch @product
// HALF-SAME:       gpu = array<i64: 0, 168>
// SPLIT-LABEL: plan.entry @one_product
// SPLIT-SAME:    plan.meetings = 1
// SPLIT:         plan.launch @product
// SPLIT-SAME:      gpu = array<i64: 0, 128>
// The CPU alone is predicted too.
// CPU-LABEL:   plan.entry @one_product
// CPU-SAME:      plan.meetings = 0
// CPU-SAME:      plan.predicted_ns = array<i64: [[T:[0-9]+]], [[T]]>
// CPU:           plan.launch @product
// CPU-SAME:        {cpu = array<i64: 0, 256>, gpu = array<i64: 0, 0>, plan.predicted_ns
// With a meeting of 3.4 ms a cut would take 3.47: 2 % less than the CPU, which predictions are not good enough for.
// LATE-LABEL:  plan.entry @one_product
// LATE-SAME:     plan.meetings = 0
plan.entry @one_product {
  %x = plan.storage input "x" 0 : memref<256x256xf32>
  %w = plan.use @w : memref<256x256xf32>
  %y = plan.storage output "y" 0 : memref<256x256xf32>
  plan.launch @product(%x, %w) into(%y) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
}

// What takes less than a meeting stays on the CPU, though the GPU would not be slower.

// CHECK-LABEL: plan.entry @too_small
// CHECK-SAME:    plan.meetings = 0
// CHECK:         plan.launch @negate
// CHECK-SAME:      gpu = array<i64: 0, 0>
plan.entry @too_small {
  %x = plan.storage input "x" 0 : memref<16xf32>
  %y = plan.storage output "y" 0 : memref<16xf32>
  plan.launch @negate(%x) into(%y) : (memref<16xf32>) into (memref<16xf32>)
}

// Two products of one input need not wait for one another: an engine each, one meeting, better than two cuts.

// CHECK-LABEL: plan.entry @two_branches
// CHECK-SAME:    plan.meetings = 1
// CHECK-COUNT-2: plan.launch @product
plan.entry @two_branches {
  %x = plan.storage input "x" 0 : memref<256x256xf32>
  %w = plan.use @w : memref<256x256xf32>
  %y = plan.storage output "y" 0 : memref<256x256xf32>
  %z = plan.storage output "z" 1 : memref<256x256xf32>
  plan.launch @product(%x, %w) into(%y) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  plan.launch @product(%x, %w) into(%z) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
}

// A loop is not cut: one engine has all its iterations. Which, is the same here, so the GPU sleeps; with half precision it wins.

// CHECK-LABEL: plan.entry @loop
// CHECK-SAME:    plan.meetings = 0
// CHECK:         plan.launch @product
// CHECK-SAME:      gpu = array<i64: 0, 0>
// HALF-LABEL:  plan.entry @loop
// HALF-SAME:     plan.meetings = 1
// HALF:          plan.launch @product
// HALF-SAME:       {cpu = array<i64: 256, 256>, gpu = array<i64: 0, 256>
// A wanted percentage is obeyed, with a meeting in each iteration.
// SPLIT-LABEL: plan.entry @loop
// SPLIT:         plan.launch @product
// SPLIT-SAME:      gpu = array<i64: 0, 128>
plan.entry @loop {
  %x = plan.storage input "x" 0 : memref<256x256xf32>
  %w = plan.use @w : memref<256x256xf32>
  %y = plan.storage output "y" 0 : memref<256x256xf32>
  plan.for 10 {
  ^bb0(%t: index):
    plan.launch @product(%x, %w) into(%y) : (memref<256x256xf32>, memref<256x256xf32>) into (memref<256x256xf32>)
  }
}
