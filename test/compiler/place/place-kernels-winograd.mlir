// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json" | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=gpu device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefix=GPU

// 2 * 9 * 8 * 8 * 16 * 32 operations: 62.1 us on either engine, at 9.5 GFLOP/s, and a launch of 1 us. By Winograd the CPU needs a
// third of the cycles; the GPU knows nothing of it.

// CHECK:       plan.entry @main
// CHECK-SAME:    plan.predicted_ns = array<i64: 21695, 21695>
// CHECK:         plan.launch @conv
// CHECK-SAME:    plan.predicted_ns = array<i64: 21695, 63086>
// GPU:         plan.entry @main
// GPU-SAME:      plan.predicted_ns = array<i64: 163086, 21695>
// GPU:           plan.launch @conv
// GPU-SAME:      plan.predicted_ns = array<i64: 21695, 63086>
plan.kernel @conv contraction (%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16x32xf32>) into (%y: tensor<1x8x8x32xf32>) cut 1 : 8 by 1 attributes {
    encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = {cycles = 100000 : i64, direct_cycles = 300000 : i64, tile = 4 : i64}} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x10x10x16xf32>, tensor<3x3x16x32xf32>) outs(%f : tensor<1x8x8x32xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x32xf32>
  plan.yield %c : tensor<1x8x8x32xf32>
}
plan.weight @conv_w = dense<1.0> : tensor<3x3x16x32xf32> {encoding = #plan.encoding<panel, width = 16>}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x10x10x16xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x8x8x32xf32>
  %w0 = plan.use @conv_w : memref<3x3x16x32xf32>
  plan.launch @conv(%x0, %w0) into(%y0) : (memref<1x10x10x16xf32>, memref<3x3x16x32xf32>) into (memref<1x8x8x32xf32>)
}
