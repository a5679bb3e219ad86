// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json winograd-bytes=60000" | FileCheck %s
// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json winograd-bytes=20000" | FileCheck %s --check-prefix=SMALL
// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json" | FileCheck %s --check-prefix=DIRECT

// 2 * 9 * 8 * 8 * 16 * 32 operations: 62.1 us on either engine, at 9.5 GFLOP/s, and a launch of 1 us. By Winograd the CPU takes
// 2.7 times fewer if its weight of 18,432 bytes may grow by thrice as many, 1.9 times if by 14,336. A GPU has no such code,
// and a convolution of stride 2 is direct.

// CHECK:       plan.launch @conv
// CHECK-SAME:  plan.predicted_ns = array<i64: 23995, 63086>
// CHECK:       plan.launch @strided
// CHECK-SAME:  plan.predicted_ns = array<i64: 63086, 63086>
// SMALL:       plan.launch @conv
// SMALL-SAME:  plan.predicted_ns = array<i64: 33677, 63086>
// DIRECT:      plan.launch @conv
// DIRECT-SAME: plan.predicted_ns = array<i64: 63086, 63086>
plan.kernel @conv contraction (%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16x32xf32>) into (%y: tensor<1x8x8x32xf32>) cut 1 : 8 by 1 {
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
plan.kernel @strided contraction (%x: tensor<1x17x17x16xf32>, %w: tensor<3x3x16x32xf32>) into (%y: tensor<1x8x8x32xf32>) cut 1 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x17x17x16xf32>, tensor<3x3x16x32xf32>) outs(%f : tensor<1x8x8x32xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x32xf32>
  plan.yield %c : tensor<1x8x8x32xf32>
}
plan.weight @conv_w = dense<1.0> : tensor<3x3x16x32xf32>
plan.weight @strided_w = dense<1.0> : tensor<3x3x16x32xf32>
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x10x10x16xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x8x8x32xf32>
  %w0 = plan.use @conv_w : memref<3x3x16x32xf32>
  plan.launch @conv(%x0, %w0) into(%y0) : (memref<1x10x10x16xf32>, memref<3x3x16x32xf32>) into (memref<1x8x8x32xf32>)
  %x1 = plan.storage input "x1" 1 : memref<1x17x17x16xf32>
  %y1 = plan.storage output "y1" 1 : memref<1x8x8x32xf32>
  %w1 = plan.use @strided_w : memref<3x3x16x32xf32>
  plan.launch @strided(%x1, %w1) into(%y1) : (memref<1x17x17x16xf32>, memref<3x3x16x32xf32>) into (memref<1x8x8x32xf32>)
}
