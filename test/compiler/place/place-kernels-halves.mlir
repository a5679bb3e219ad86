// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json" | FileCheck %s

// 2 * 256 * 256 * 256 operations: 3532 us at 9.5 GFLOP/s, and a launch of 1 us. Products of halves that a core widens take as
// long as those of floats. Others are faster by their note, but at most by the device's ratio of 2.

// CHECK:       plan.launch @widened
// CHECK-SAME:    plan.predicted_ns = array<i64: 3533{{[0-9][0-9][0-9]}}
// CHECK:       plan.launch @halves
// CHECK-SAME:    plan.predicted_ns = array<i64: 2208{{[0-9][0-9][0-9]}}
// CHECK:       plan.launch @faster
// CHECK-SAME:    plan.predicted_ns = array<i64: 1767{{[0-9][0-9][0-9]}}

#product = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
            iterator_types = ["parallel", "parallel", "reduction"]}

plan.kernel @widened contraction (%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) into (%c: tensor<256x256xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x256xf32>
  plan.yield %r : tensor<256x256xf32>
}

plan.kernel @halves contraction (%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) into (%c: tensor<256x256xf32>) cut 0 : 256 by 1 attributes {plan.product_rate = 1.6 : f64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x256xf32>
  plan.yield %r : tensor<256x256xf32>
}

plan.kernel @faster contraction (%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) into (%c: tensor<256x256xf32>) cut 0 : 256 by 1 attributes {plan.product_rate = 3.0 : f64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%init : tensor<256x256xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x256xf32>
  plan.yield %r : tensor<256x256xf32>
}

plan.entry @main {
  %a = plan.storage input "a" 0 : memref<256x256xf16>
  %b = plan.storage input "b" 1 : memref<256x256xf16>
  %y0 = plan.storage output "y0" 0 : memref<256x256xf32>
  plan.launch @widened(%a, %b) into(%y0) : (memref<256x256xf16>, memref<256x256xf16>) into (memref<256x256xf32>)
  %y1 = plan.storage output "y1" 1 : memref<256x256xf32>
  plan.launch @halves(%a, %b) into(%y1) : (memref<256x256xf16>, memref<256x256xf16>) into (memref<256x256xf32>)
  %y2 = plan.storage output "y2" 2 : memref<256x256xf32>
  plan.launch @faster(%a, %b) into(%y2) : (memref<256x256xf16>, memref<256x256xf16>) into (memref<256x256xf32>)
}
