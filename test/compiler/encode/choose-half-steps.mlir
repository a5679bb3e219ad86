// RUN: nacre-opt %s --nacre-choose-half-steps="target=linux-arm64 cpu=cortex-a76" --split-input-file | FileCheck %s

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

// -----

// A network with one convolution has little noise, so the fastest tiles with the most steps are exact enough. Large weights allow
// few products in a sum, and products of transformed values are larger than others, so such a convolution widens to fp32.

// CHECK:      plan.kernel @moderate
// CHECK-SAME: plan.half_sums = 32 : i64
// CHECK-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}
// CHECK:      plan.kernel @large
// CHECK-NOT:  plan.half_sums
// CHECK-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}

module {
plan.weight @moderate_w = dense<1.0> : tensor<3x3x64x64xf16> {encoding = #plan.encoding<panel, width = 16>}
plan.entry @moderate_main {
  %x = plan.storage input "x" 0 : memref<1x30x30x64xf16>
  %y = plan.storage output "y" 0 : memref<1x28x28x64xf16>
  %w = plan.use @moderate_w : memref<3x3x64x64xf16>
  plan.launch @moderate(%x, %w) into(%y) : (memref<1x30x30x64xf16>, memref<3x3x64x64xf16>) into(memref<1x28x28x64xf16>)
}
plan.kernel @moderate contraction (%x: tensor<1x30x30x64xf16>, %w: tensor<3x3x64x64xf16>) into (%y: tensor<1x28x28x64xf16>) cut 1 : 28 by 4 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.half_sums = 256 : i64, plan.winograd = {cycles = 1 : i64, direct_cycles = 2 : i64, tile = 2 : i64}} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x28x28x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x64xf16>, tensor<3x3x64x64xf16>) outs(%f : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f16, %d: f16, %o: f32):
    %ae = arith.extf %a : f16 to f32
    %de = arith.extf %d : f16 to f32
    %m = arith.mulf %ae, %de : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x28x28x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<1x28x28x64xf32>) outs(%y : tensor<1x28x28x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x28x28x64xf16>
  plan.yield %t : tensor<1x28x28x64xf16>
}
plan.weight @large_w = dense<1.0> : tensor<3x3x64x64xf16> {encoding = #plan.encoding<panel, width = 16>}
plan.entry @large_main {
  %x = plan.storage input "x" 0 : memref<1x30x30x64xf16>
  %y = plan.storage output "y" 0 : memref<1x28x28x64xf16>
  %w = plan.use @large_w : memref<3x3x64x64xf16>
  plan.launch @large(%x, %w) into(%y) : (memref<1x30x30x64xf16>, memref<3x3x64x64xf16>) into(memref<1x28x28x64xf16>)
}
plan.kernel @large contraction (%x: tensor<1x30x30x64xf16>, %w: tensor<3x3x64x64xf16>) into (%y: tensor<1x28x28x64xf16>) cut 1 : 28 by 4 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.half_sums = 64 : i64, plan.winograd = {cycles = 1 : i64, direct_cycles = 2 : i64, tile = 2 : i64}} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x28x28x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x64xf16>, tensor<3x3x64x64xf16>) outs(%f : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f16, %d: f16, %o: f32):
    %ae = arith.extf %a : f16 to f32
    %de = arith.extf %d : f16 to f32
    %m = arith.mulf %ae, %de : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x28x28x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<1x28x28x64xf32>) outs(%y : tensor<1x28x28x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x28x28x64xf16>
  plan.yield %t : tensor<1x28x28x64xf16>
}
}
