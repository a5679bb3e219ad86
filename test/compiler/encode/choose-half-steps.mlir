// RUN: nacre-opt %s --nacre-choose-half-steps | FileCheck %s

// Many small products in a row add more noise than the limit if all have the most steps. The larger product at their end has more steps,
// because a flush of it costs more, and adds as little noise.

// CHECK:      plan.kernel @documented_example
// CHECK-SAME: plan.half_sums = 256 : i64
// CHECK:      plan.kernel @small
// CHECK-SAME: plan.half_sums = 128 : i64

module {
plan.weight @w = dense<0.5> : tensor<512x512xf16>
plan.weight @v = dense<0.5> : tensor<512x4096xf16>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<8x512xf16>
  %t = plan.storage temporary : memref<8x512xf16>
  %u = plan.storage temporary : memref<8x512xf16>
  %y = plan.storage output "y" 0 : memref<8x4096xf16>
  %w = plan.use @w : memref<512x512xf16>
  %v = plan.use @v : memref<512x4096xf16>
  plan.launch @small(%x, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @small(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @documented_example(%t, %v) into(%y) : (memref<8x512xf16>, memref<512x4096xf16>) into(memref<8x4096xf16>)
}
plan.kernel @documented_example contraction (%a: tensor<8x512xf16>, %b: tensor<512x4096xf16>) into (%c: tensor<8x4096xf16>) cut 0 : 8 by 1 attributes {plan.half_sums = 256 : i64} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x512xf16>, tensor<512x4096xf16>) outs(%init : tensor<8x4096xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4096xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<8x4096xf32>) outs(%c : tensor<8x4096xf16>) {
  ^bb0(%x: f32, %y: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<8x4096xf16>
  plan.yield %r : tensor<8x4096xf16>
}
plan.kernel @small contraction (%a: tensor<8x512xf16>, %b: tensor<512x512xf16>) into (%c: tensor<8x512xf16>) cut 0 : 8 by 1 attributes {plan.half_sums = 256 : i64} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x512xf32>) -> tensor<8x512xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x512xf16>, tensor<512x512xf16>) outs(%init : tensor<8x512xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<8x512xf32>) outs(%c : tensor<8x512xf16>) {
  ^bb0(%x: f32, %y: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<8x512xf16>
  plan.yield %r : tensor<8x512xf16>
}
}
