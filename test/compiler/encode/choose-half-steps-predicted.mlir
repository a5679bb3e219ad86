// RUN: nacre-opt %s --nacre-choose-half-steps="target=linux-arm64 cpu=cortex-a76 predicts" --split-input-file | FileCheck %s

// The measure of noise that knows no weights allows 128 steps to many products in a row. But the output is the input with hardly any of
// their noise, so they may have the most steps.

// CHECK:      output "y" 0 {plan.predicted_snr_db
// CHECK:      plan.kernel @harmless
// CHECK-SAME: plan.half_sums = 256 : i64

module {
plan.weight @known_w = dense<0.0625> : tensor<512x512xf16>
plan.entry @known attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x512xf16>
  %t = plan.storage temporary : memref<8x512xf16>
  %u = plan.storage temporary : memref<8x512xf16>
  %y = plan.storage output "y" 0 : memref<8x512xf32>
  %w = plan.use @known_w : memref<512x512xf16>
  plan.launch @harmless(%x, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @harmless(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @known_sum(%x, %u) into(%y) : (memref<8x512xf16>, memref<8x512xf16>) into(memref<8x512xf32>)
}
plan.kernel @known_sum nest (%x: tensor<8x512xf16>, %t: tensor<8x512xf16>) into (%y: tensor<8x512xf32>) cut 0 : 8 by 1 {
  %large = arith.constant 1.0e+06 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<8x512xf16>, tensor<8x512xf16>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %m = arith.mulf %u, %large : f32
    %s = arith.addf %v, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x512xf32>
  plan.yield %r : tensor<8x512xf32>
}
plan.kernel @harmless contraction (%a: tensor<8x512xf16>, %b: tensor<512x512xf16>) into (%c: tensor<8x512xf16>) cut 0 : 8 by 1 attributes {plan.half_sums = 256 : i64} {
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

// Nothing is known about the noise of an entry with a state. It also runs these products, so they keep 128 steps.

// CHECK:      output "y" 0 {plan.predicted_snr_db
// CHECK:      plan.kernel @of_both
// CHECK-SAME: plan.half_sums = 128 : i64

module {
plan.weight @unknown_w = dense<0.0625> : tensor<512x512xf16>
plan.entry @unknown attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x512xf16>
  %t = plan.storage temporary : memref<8x512xf16>
  %u = plan.storage temporary : memref<8x512xf16>
  %y = plan.storage output "y" 0 : memref<8x512xf32>
  %w = plan.use @unknown_w : memref<512x512xf16>
  plan.launch @of_both(%x, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%u, %w) into(%t) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @of_both(%t, %w) into(%u) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
  plan.launch @unknown_sum(%x, %u) into(%y) : (memref<8x512xf16>, memref<8x512xf16>) into(memref<8x512xf32>)
}
plan.entry @with_state attributes {plan.engine = "cpu"} {
  %s = plan.storage state "s" 0 : memref<8x512xf16>
  %y = plan.storage output "y" 0 : memref<8x512xf16>
  %w = plan.use @unknown_w : memref<512x512xf16>
  plan.launch @of_both(%s, %w) into(%y) : (memref<8x512xf16>, memref<512x512xf16>) into(memref<8x512xf16>)
}
plan.kernel @unknown_sum nest (%x: tensor<8x512xf16>, %t: tensor<8x512xf16>) into (%y: tensor<8x512xf32>) cut 0 : 8 by 1 {
  %large = arith.constant 1.0e+06 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<8x512xf16>, tensor<8x512xf16>) outs(%y : tensor<8x512xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %m = arith.mulf %u, %large : f32
    %s = arith.addf %v, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x512xf32>
  plan.yield %r : tensor<8x512xf32>
}
plan.kernel @of_both contraction (%a: tensor<8x512xf16>, %b: tensor<512x512xf16>) into (%c: tensor<8x512xf16>) cut 0 : 8 by 1 attributes {plan.half_sums = 256 : i64} {
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
