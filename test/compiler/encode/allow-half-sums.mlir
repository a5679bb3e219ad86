// RUN: nacre-opt %s --nacre-allow-half-sums | FileCheck %s

// A product of two operands of halves may be added up in fp16 for at most 256 steps. No other contraction has the note: one
// with a weight that is too small or too large, an f32 operand, or a launch that must multiply f32. If only some launches of a kernel have such
// weights, they get a copy.

// CHECK:     plan.launch @tiny(
// CHECK-NEXT: plan.launch @tiny_0(
// CHECK-NEXT: plan.launch @tiny(
// CHECK:     plan.kernel @documented_example
// CHECK-SAME: plan.half_sums = 256 : i64
// CHECK:     plan.kernel @large
// CHECK-SAME: plan.half_sums = 256 : i64
// CHECK:     plan.kernel @activations
// CHECK-SAME: plan.half_sums = 256 : i64
// CHECK:     plan.kernel @tiny contraction
// CHECK-SAME: plan.half_sums = 256 : i64
// CHECK-NOT: plan.half_sums
// CHECK:     plan.kernel @depthwise contraction
// CHECK-SAME: plan.half_sums = 256 : i64
// CHECK-NOT: plan.half_sums

plan.weight @w = dense<0.5> : tensor<64x32xf16>
plan.weight @large_w = dense<8.0> : tensor<4608x32xf16>
plan.weight @tiny_w = dense<1.0e-4> : tensor<64x32xf16>
plan.weight @zero_w = dense<0.0> : tensor<64x32xf16>
plan.weight @huge_w = dense<100.0> : tensor<64x32xf16>
plan.weight @single_w = dense<0.5> : tensor<64x32xf32>
plan.weight @taps = dense<0.5> : tensor<3x3x64xf16>
plan.weight @many_taps = dense<0.5> : tensor<9x9x64xf16>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<256x64xf16>
  %z = plan.storage input "z" 1 : memref<256x4608xf16>
  %v = plan.storage input "v" 2 : memref<64x32xf16>
  %y = plan.storage output "y" 0 : memref<256x32xf32>
  %w = plan.use @w : memref<64x32xf16>
  %large_w = plan.use @large_w : memref<4608x32xf16>
  %tiny_w = plan.use @tiny_w : memref<64x32xf16>
  %zero_w = plan.use @zero_w : memref<64x32xf16>
  %huge_w = plan.use @huge_w : memref<64x32xf16>
  %single_w = plan.use @single_w : memref<64x32xf32>
  plan.launch @documented_example(%x, %w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @large(%z, %large_w) into(%y) : (memref<256x4608xf16>, memref<4608x32xf16>) into(memref<256x32xf32>)
  plan.launch @activations(%x, %v) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @tiny(%x, %w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @tiny(%x, %tiny_w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @tiny(%x, %zero_w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @huge(%x, %huge_w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @mixed(%x, %single_w) into(%y) : (memref<256x64xf16>, memref<64x32xf32>) into(memref<256x32xf32>)
  %image = plan.storage input "image" 3 : memref<1x16x16x64xf16>
  %outside = plan.storage output "outside" 1 : memref<1x8x8x64xf32>
  %taps = plan.use @taps : memref<3x3x64xf16>
  %many_taps = plan.use @many_taps : memref<9x9x64xf16>
  plan.launch @depthwise(%image, %taps) into(%outside) : (memref<1x16x16x64xf16>, memref<3x3x64xf16>) into(memref<1x8x8x64xf32>)
  plan.launch @too_many_taps(%image, %many_taps) into(%outside) : (memref<1x16x16x64xf16>, memref<9x9x64xf16>) into(memref<1x8x8x64xf32>)
  plan.launch @wide(%x, %w) into(%y) {plan.wide_product} : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
}
plan.kernel @documented_example contraction (%a: tensor<256x64xf16>, %b: tensor<64x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xf16>, tensor<64x32xf16>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @large contraction (%a: tensor<256x4608xf16>, %b: tensor<4608x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x4608xf16>, tensor<4608x32xf16>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @activations contraction (%a: tensor<256x64xf16>, %b: tensor<64x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xf16>, tensor<64x32xf16>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @tiny contraction (%a: tensor<256x64xf16>, %b: tensor<64x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xf16>, tensor<64x32xf16>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @huge contraction (%a: tensor<256x64xf16>, %b: tensor<64x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xf16>, tensor<64x32xf16>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @mixed contraction (%a: tensor<256x64xf16>, %b: tensor<64x32xf32>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xf16>, tensor<64x32xf32>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f32, %z: f32):
    %u = arith.extf %x : f16 to f32
    %m = arith.mulf %u, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @wide contraction (%a: tensor<256x64xf16>, %b: tensor<64x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xf16>, tensor<64x32xf16>) outs(%init : tensor<256x32xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x32xf32>
  plan.yield %r : tensor<256x32xf32>
}
plan.kernel @depthwise contraction (%a: tensor<1x16x16x64xf16>, %b: tensor<3x3x64xf16>) into (%c: tensor<1x8x8x64xf32>) cut 1 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, c, i, j) -> (n, p + i * 4, q + j * 4, c)>, affine_map<(n, p, q, c, i, j) -> (i, j, c)>, affine_map<(n, p, q, c, i, j) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<1x16x16x64xf16>, tensor<3x3x64xf16>) outs(%init : tensor<1x8x8x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x64xf32>
  plan.yield %r : tensor<1x8x8x64xf32>
}
plan.kernel @too_many_taps contraction (%a: tensor<1x16x16x64xf16>, %b: tensor<9x9x64xf16>) into (%c: tensor<1x8x8x64xf32>) cut 1 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, c, i, j) -> (n, p + i, q + j, c)>, affine_map<(n, p, q, c, i, j) -> (i, j, c)>, affine_map<(n, p, q, c, i, j) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<1x16x16x64xf16>, tensor<9x9x64xf16>) outs(%init : tensor<1x8x8x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x64xf32>
  plan.yield %r : tensor<1x8x8x64xf32>
}
