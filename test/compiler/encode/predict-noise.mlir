// RUN: nacre-opt %s --nacre-predict-noise | FileCheck %s

// Rounding a number to f16 adds noise of 4.4e-8 of its power, which is -73.6 dB. The input, the weight and the result are rounded, so
// the output of @documented_example has three times as much noise: -68.8 dB. No sum is in fp16.

// CHECK-LABEL: plan.entry @documented_example
// CHECK:         output "y" 0 {plan.predicted_snr_db = 68.{{[0-9.]+}} : f64}

// 64 steps in fp16 have 32 times the noise of rounding a number: with the three roundings, -58.1 dB.

// CHECK-LABEL: plan.entry @sums_of_halves
// CHECK:         output "y" 0 {plan.predicted_snr_db = 58.1{{[0-9.]+}} : f64}

// The noise of the second product adds to that of the first one.

// CHECK-LABEL: plan.entry @two_in_a_row
// CHECK:         output "y" 0 {plan.predicted_snr_db = 55.{{[0-9.]+}} : f64}

// A state keeps its noise from run to run, and a loop from iteration to iteration. Nothing is predicted.

// CHECK-LABEL: plan.entry @with_state
// CHECK:         output "y" 0 : memref
// CHECK-LABEL: plan.entry @with_loop
// CHECK:         output "y" 0 : memref

// The GPU may compute a part of an entry that has no note, and adds up in another way.

// CHECK-LABEL: plan.entry @on_any_engine
// CHECK:         output "y" 0 : memref

// A copy of an input has no noise.

// CHECK-LABEL: plan.entry @without_noise
// CHECK:         output "y" 0 : memref

module {
plan.weight @w = dense<0.125> : tensor<64x64xf16>
plan.entry @documented_example attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x64xf32>
  %h = plan.storage temporary : memref<8x64xf16>
  %y = plan.storage output "y" 0 : memref<8x64xf16>
  %w = plan.use @w : memref<64x64xf16>
  plan.launch @cast(%x) into(%h) : (memref<8x64xf32>) into(memref<8x64xf16>)
  plan.launch @wide(%h, %w) into(%y) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
}
plan.entry @sums_of_halves attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x64xf32>
  %h = plan.storage temporary : memref<8x64xf16>
  %y = plan.storage output "y" 0 : memref<8x64xf16>
  %w = plan.use @w : memref<64x64xf16>
  plan.launch @cast(%x) into(%h) : (memref<8x64xf32>) into(memref<8x64xf16>)
  plan.launch @halves(%h, %w) into(%y) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
}
plan.entry @two_in_a_row attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x64xf32>
  %h = plan.storage temporary : memref<8x64xf16>
  %t = plan.storage temporary : memref<8x64xf16>
  %y = plan.storage output "y" 0 : memref<8x64xf16>
  %w = plan.use @w : memref<64x64xf16>
  plan.launch @cast(%x) into(%h) : (memref<8x64xf32>) into(memref<8x64xf16>)
  plan.launch @halves(%h, %w) into(%t) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
  plan.launch @halves(%t, %w) into(%y) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
}
plan.entry @with_state attributes {plan.engine = "cpu"} {
  %s = plan.storage state "s" 0 : memref<8x64xf16>
  %y = plan.storage output "y" 0 : memref<8x64xf16>
  %w = plan.use @w : memref<64x64xf16>
  plan.launch @halves(%s, %w) into(%y) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
}
plan.entry @with_loop attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x64xf16>
  %y = plan.storage output "y" 0 : memref<8x64xf16>
  %w = plan.use @w : memref<64x64xf16>
  plan.for 4 {
  ^bb0(%i: index):
    plan.launch @halves(%x, %w) into(%y) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
  }
}
plan.entry @on_any_engine {
  %x = plan.storage input "x" 0 : memref<8x64xf16>
  %y = plan.storage output "y" 0 : memref<8x64xf16>
  %w = plan.use @w : memref<64x64xf16>
  plan.launch @halves(%x, %w) into(%y) : (memref<8x64xf16>, memref<64x64xf16>) into(memref<8x64xf16>)
}
plan.entry @without_noise attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<8x64xf32>
  %y = plan.storage output "y" 0 : memref<8x64xf32>
  plan.launch @copy(%x) into(%y) : (memref<8x64xf32>) into(memref<8x64xf32>)
}
plan.kernel @wide contraction (%a: tensor<8x64xf16>, %b: tensor<64x64xf16>) into (%c: tensor<8x64xf16>) cut 0 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x64xf16>, tensor<64x64xf16>) outs(%init : tensor<8x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<8x64xf32>) outs(%c : tensor<8x64xf16>) {
  ^bb0(%x: f32, %y: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<8x64xf16>
  plan.yield %r : tensor<8x64xf16>
}
plan.kernel @halves contraction (%a: tensor<8x64xf16>, %b: tensor<64x64xf16>) into (%c: tensor<8x64xf16>) cut 0 : 8 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x64xf16>, tensor<64x64xf16>) outs(%init : tensor<8x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<8x64xf32>) outs(%c : tensor<8x64xf16>) {
  ^bb0(%x: f32, %y: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<8x64xf16>
  plan.yield %r : tensor<8x64xf16>
}
plan.kernel @cast nest (%a: tensor<8x64xf32>) into (%c: tensor<8x64xf16>) cut 0 : 8 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xf32>) outs(%c : tensor<8x64xf16>) {
  ^bb0(%x: f32, %y: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<8x64xf16>
  plan.yield %r : tensor<8x64xf16>
}
plan.kernel @copy nest (%a: tensor<8x64xf32>) into (%c: tensor<8x64xf32>) cut 0 : 8 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xf32>) outs(%c : tensor<8x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8x64xf32>
  plan.yield %r : tensor<8x64xf32>
}
}
