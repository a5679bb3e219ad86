// RUN: nacre-opt %s --nacre-allow-half-sums | FileCheck %s

// A product of two operands of halves may be added up in fp16 for some steps; fewer, if it is deep. No other contraction has the note: one
// with a weight that is too small or too large, an f32 operand, or a launch that must multiply f32. If only some launches of a kernel have such
// weights, they get a copy.

// CHECK:     plan.launch @tiny(
// CHECK-NEXT: plan.launch @tiny_0(
// CHECK-NEXT: plan.launch @tiny(
// CHECK:     plan.kernel @documented_example
// CHECK-SAME: plan.half_sums = 64 : i64
// CHECK:     plan.kernel @deep
// CHECK-SAME: plan.half_sums = 32 : i64
// CHECK:     plan.kernel @activations
// CHECK-SAME: plan.half_sums = 64 : i64
// CHECK:     plan.kernel @tiny contraction
// CHECK-SAME: plan.half_sums = 64 : i64
// CHECK-NOT: plan.half_sums

plan.weight @w = dense<0.5> : tensor<64x32xf16>
plan.weight @deep_w = dense<0.5> : tensor<4608x32xf16>
plan.weight @tiny_w = dense<1.0e-4> : tensor<64x32xf16>
plan.weight @zero_w = dense<0.0> : tensor<64x32xf16>
plan.weight @huge_w = dense<100.0> : tensor<64x32xf16>
plan.weight @single_w = dense<0.5> : tensor<64x32xf32>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<256x64xf16>
  %z = plan.storage input "z" 1 : memref<256x4608xf16>
  %v = plan.storage input "v" 2 : memref<64x32xf16>
  %y = plan.storage output "y" 0 : memref<256x32xf32>
  %w = plan.use @w : memref<64x32xf16>
  %deep_w = plan.use @deep_w : memref<4608x32xf16>
  %tiny_w = plan.use @tiny_w : memref<64x32xf16>
  %zero_w = plan.use @zero_w : memref<64x32xf16>
  %huge_w = plan.use @huge_w : memref<64x32xf16>
  %single_w = plan.use @single_w : memref<64x32xf32>
  plan.launch @documented_example(%x, %w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @deep(%z, %deep_w) into(%y) : (memref<256x4608xf16>, memref<4608x32xf16>) into(memref<256x32xf32>)
  plan.launch @activations(%x, %v) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @tiny(%x, %w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @tiny(%x, %tiny_w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @tiny(%x, %zero_w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @huge(%x, %huge_w) into(%y) : (memref<256x64xf16>, memref<64x32xf16>) into(memref<256x32xf32>)
  plan.launch @mixed(%x, %single_w) into(%y) : (memref<256x64xf16>, memref<64x32xf32>) into(memref<256x32xf32>)
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
plan.kernel @deep contraction (%a: tensor<256x4608xf16>, %b: tensor<4608x32xf16>) into (%c: tensor<256x32xf32>) cut 0 : 256 by 1 {
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
