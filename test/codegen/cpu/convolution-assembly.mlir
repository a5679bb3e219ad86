// RUN: nacre-kernel %s --target=linux-x86_64 --kernel=avx2 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX2
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=avx512 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX512
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=neon | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=NEON
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=neon | %python %S/Inputs/loop_cycles.py neoverse-n1 neoverse-v1 cortex-a55 | FileCheck %s --check-prefix=CYCLES

// What the inner loop of a 3x3 convolution is made of: (kw, ic) is one loop.

// 6 rows x 16 columns, two steps in an iteration: two vectors of the panel each, six broadcasts. Nothing touches the stack. A line
// of what lies behind is asked for, for later tiles.
// AVX2:      multiply-adds: 24
// AVX2-NEXT: zmm: 0
// AVX2:      vector loads: 4
// AVX2-NEXT: broadcasts: 12
// AVX2:      stack: 0
// AVX2:      prefetches: 1

// 14 rows x 32 columns.
// AVX512:      multiply-adds: 56
// AVX512-NEXT: zmm: 56
// AVX512:      vector loads: 4
// AVX512-NEXT: broadcasts: 28
// AVX512:      stack: 0
// AVX512:      prefetches: 1

// 6 rows x 8 columns, eight steps of the reduction in an iteration, multiplied by an element of a row's vectors.
// NEON:      multiply-adds: 96
// NEON:      by-element: 96
// NEON:      ld1 of four: 4
// NEON-NEXT: ldp: 6
// NEON-NEXT: ldr: 0
// NEON-NEXT: stack: 0

// What it reaches by the machine-code analyser; of the two multiply-adds a cycle that this has for an A55, the core starts one.
// CYCLES:      neoverse-n1: {{9[2-9]|100}}% of peak
// CYCLES-NEXT: neoverse-v1: {{9[2-9]|100}}% of peak
// CYCLES-NEXT: cortex-a55: {{3[5-9]|[4-9][0-9]}}% of peak

plan.kernel @avx2 contraction (%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>, %b: tensor<64xf32>) into (%s: tensor<1x54x54x64xf32>) cut 1 : 54 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>, unit]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x54x54x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x54x54x64xf32>) -> tensor<1x54x54x64xf32>
  %acc = linalg.generic {indexing_maps = [affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh + kh, ow + kw, ic)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (kh, kw, ic, oc)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh, ow, oc)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x54x54x64xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %d, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x54x54x64xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%acc, %b : tensor<1x54x54x64xf32>, tensor<64xf32>) outs(%s : tensor<1x54x54x64xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.addf %a, %c : f32
    %r = arith.maximumf %m, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x54x54x64xf32>
  plan.yield %o : tensor<1x54x54x64xf32>
}

plan.kernel @avx512 contraction (%x: tensor<1x58x58x64xf32>, %w: tensor<3x3x64x64xf32>, %b: tensor<64xf32>) into (%s: tensor<1x56x56x64xf32>) cut 1 : 56 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 32>, unit]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x56x56x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %acc = linalg.generic {indexing_maps = [affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh + kh, ow + kw, ic)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (kh, kw, ic, oc)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh, ow, oc)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x56x56x64xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %d, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x56x56x64xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%acc, %b : tensor<1x56x56x64xf32>, tensor<64xf32>) outs(%s : tensor<1x56x56x64xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.addf %a, %c : f32
    %r = arith.maximumf %m, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x56x56x64xf32>
  plan.yield %o : tensor<1x56x56x64xf32>
}

plan.kernel @neon contraction (%x: tensor<1x58x58x64xf32>, %w: tensor<3x3x64x64xf32>, %b: tensor<64xf32>) into (%s: tensor<1x56x56x64xf32>) cut 1 : 56 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 8>, unit]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x56x56x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %acc = linalg.generic {indexing_maps = [affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh + kh, ow + kw, ic)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (kh, kw, ic, oc)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh, ow, oc)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x56x56x64xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %d, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x56x56x64xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%acc, %b : tensor<1x56x56x64xf32>, tensor<64xf32>) outs(%s : tensor<1x56x56x64xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.addf %a, %c : f32
    %r = arith.maximumf %m, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x56x56x64xf32>
  plan.yield %o : tensor<1x56x56x64xf32>
}
