// RUN: nacre-opt %s --nacre-place-kernels="engines=cpu device=%S/Inputs/even-phone.json" | FileCheck %s

// 2 * 2 * 8 * 256 * 256 * 64 operations of products, and 2 * 8 * 256 * 256 of the map between them: 14239 us at 9.5 GFLOP/s, and
// a launch of 1 us. With a causal bound, 20 of 32 chunks of keys are computed. With a window of 32 keys, 11 of 32 are.

// CHECK:       plan.launch @all
// CHECK-SAME:    plan.predicted_ns = array<i64: 14239
// CHECK:       plan.launch @causal
// CHECK-SAME:    plan.predicted_ns = array<i64: 8900
// CHECK:       plan.launch @window
// CHECK-SAME:    plan.predicted_ns = array<i64: 4895

#scores = {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
#map = {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel"]}
#result = {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}

plan.kernel @all attention (%q: tensor<8x256x64xf32>, %k: tensor<8x256x64xf32>, %v: tensor<8x256x64xf32>)
    into (%y: tensor<8x256x64xf32>) cut 0 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<8x256x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %s = linalg.generic #scores ins(%q, %k : tensor<8x256x64xf32>, tensor<8x256x64xf32>) outs(%f0 : tensor<8x256x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x256x256xf32>
  %e1 = tensor.empty() : tensor<8x256x256xf32>
  %w = linalg.generic #map ins(%s : tensor<8x256x256xf32>) outs(%e1 : tensor<8x256x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %row = linalg.index 1 : index
    %key = linalg.index 2 : index
    %seen = arith.cmpi ule, %key, %row : index
    %t = arith.select %seen, %a, %lowest : f32
    linalg.yield %t : f32
  } -> tensor<8x256x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%y : tensor<8x256x64xf32>) -> tensor<8x256x64xf32>
  %r = linalg.generic #result ins(%w, %v : tensor<8x256x256xf32>, tensor<8x256x64xf32>) outs(%f1 : tensor<8x256x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x256x64xf32>
  plan.yield %r : tensor<8x256x64xf32>
}

plan.kernel @causal attention (%q: tensor<8x256x64xf32>, %k: tensor<8x256x64xf32>, %v: tensor<8x256x64xf32>)
    into (%y: tensor<8x256x64xf32>) cut 0 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<8x256x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %s = linalg.generic #scores ins(%q, %k : tensor<8x256x64xf32>, tensor<8x256x64xf32>) outs(%f0 : tensor<8x256x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x256x256xf32>
  %e1 = tensor.empty() : tensor<8x256x256xf32>
  %w = linalg.generic #map ins(%s : tensor<8x256x256xf32>) outs(%e1 : tensor<8x256x256xf32>) attrs = {plan.key_bounds = {after = 0, offset = 0}} {
  ^bb0(%a: f32, %o: f32):
    %row = linalg.index 1 : index
    %key = linalg.index 2 : index
    %seen = arith.cmpi ule, %key, %row : index
    %t = arith.select %seen, %a, %lowest : f32
    linalg.yield %t : f32
  } -> tensor<8x256x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%y : tensor<8x256x64xf32>) -> tensor<8x256x64xf32>
  %r = linalg.generic #result ins(%w, %v : tensor<8x256x256xf32>, tensor<8x256x64xf32>) outs(%f1 : tensor<8x256x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x256x64xf32>
  plan.yield %r : tensor<8x256x64xf32>
}

plan.kernel @window attention (%q: tensor<8x256x64xf32>, %k: tensor<8x256x64xf32>, %v: tensor<8x256x64xf32>)
    into (%y: tensor<8x256x64xf32>) cut 0 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<8x256x256xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %s = linalg.generic #scores ins(%q, %k : tensor<8x256x64xf32>, tensor<8x256x64xf32>) outs(%f0 : tensor<8x256x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x256x256xf32>
  %e1 = tensor.empty() : tensor<8x256x256xf32>
  %w = linalg.generic #map ins(%s : tensor<8x256x256xf32>) outs(%e1 : tensor<8x256x256xf32>) attrs = {plan.key_bounds = {before = 31, after = 0, offset = 0}} {
  ^bb0(%a: f32, %o: f32):
    %row = linalg.index 1 : index
    %key = linalg.index 2 : index
    %seen = arith.cmpi ule, %key, %row : index
    %t = arith.select %seen, %a, %lowest : f32
    linalg.yield %t : f32
  } -> tensor<8x256x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%y : tensor<8x256x64xf32>) -> tensor<8x256x64xf32>
  %r = linalg.generic #result ins(%w, %v : tensor<8x256x256xf32>, tensor<8x256x64xf32>) outs(%f1 : tensor<8x256x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<8x256x64xf32>
  plan.yield %r : tensor<8x256x64xf32>
}

plan.entry @main {
  %q = plan.storage input "q" 0 : memref<8x256x64xf32>
  %k = plan.storage input "k" 1 : memref<8x256x64xf32>
  %v = plan.storage input "v" 2 : memref<8x256x64xf32>
  %y0 = plan.storage output "y0" 0 : memref<8x256x64xf32>
  plan.launch @all(%q, %k, %v) into(%y0) : (memref<8x256x64xf32>, memref<8x256x64xf32>, memref<8x256x64xf32>) into (memref<8x256x64xf32>)
  %y1 = plan.storage output "y1" 1 : memref<8x256x64xf32>
  plan.launch @causal(%q, %k, %v) into(%y1) : (memref<8x256x64xf32>, memref<8x256x64xf32>, memref<8x256x64xf32>) into (memref<8x256x64xf32>)
  %y2 = plan.storage output "y2" 2 : memref<8x256x64xf32>
  plan.launch @window(%q, %k, %v) into(%y2) : (memref<8x256x64xf32>, memref<8x256x64xf32>, memref<8x256x64xf32>) into (memref<8x256x64xf32>)
}
