// RUN: nacre-kernel %s --target=linux-x86_64 --kernel=avx2 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX2
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=avx512 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX512
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=halves | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=HALVES
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=neon | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=NEON
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=neon | %python %S/Inputs/loop_cycles.py neoverse-n1 neoverse-v1 cortex-a55 | FileCheck %s --check-prefix=CYCLES
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=neon_across | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=ACROSS
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a55 --kernel=little | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=LITTLE
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a55 --kernel=little | %python %S/Inputs/loop_cycles.py cortex-a55 | FileCheck %s --check-prefix=LITTLE-CYCLES

// What the inner loop of a matmul is made of.

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

// 24 columns: a vector of 16 and one of 8, which takes half as long on some cores. 9 rows, so that nothing touches the stack.
// HALVES:      multiply-adds: 36
// HALVES-NEXT: zmm: 18
// HALVES:      stack: 0

// 4 rows x 16 columns, eight steps of the reduction in an iteration, multiplied by an element of a row's vectors: four registers of
// columns at a time, and a pair of each row.
// NEON:      multiply-adds: 128
// NEON:      by-element: 128
// NEON:      ld1 of four: 8
// NEON-NEXT: ldp: 4
// NEON-NEXT: ldr: 0
// NEON-NEXT: stack: 0
// NEON:      prefetches: 0

// What it reaches by the machine-code analyser; of the two multiply-adds a cycle that this has for an A55, the core starts one.
// CYCLES:      neoverse-n1: {{9[2-9]|100}}% of peak
// CYCLES-NEXT: neoverse-v1: {{9[2-9]|100}}% of peak
// CYCLES-NEXT: cortex-a55: {{3[5-9]|[4-9][0-9]}}% of peak

// The same tile where four rows lie side by side: a register of rows for each step, of which an iteration has four, so that nothing
// touches the stack.
// ACROSS:      multiply-adds: 64
// ACROSS:      by-element: 64
// ACROSS:      ld1 of four: 4
// ACROSS-NEXT: ldp: 0
// ACROSS-NEXT: ldr: 4
// ACROSS-NEXT: stack: 0

// 8 rows x 8 columns for a core that issues in order: everything comes by halves of registers.
// LITTLE:      multiply-adds: 128
// LITTLE:      by-element: 128
// LITTLE:      ld1 of four: 0
// LITTLE-NEXT: ldp: 0
// LITTLE-NEXT: ldr: 0
// LITTLE-NEXT: stack: 0
// LITTLE-CYCLES: cortex-a55: {{4[89]|[5-9][0-9]}}% of peak

plan.kernel @avx2 contraction (%a: tensor<510x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<510x512xf32>) cut 0 : 510 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<510x512xf32>) -> tensor<510x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<510x512xf32>, tensor<512x512xf32>) outs(%init : tensor<510x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<510x512xf32>
  plan.yield %r : tensor<510x512xf32>
}

plan.kernel @avx512 contraction (%a: tensor<504x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<504x512xf32>) cut 0 : 504 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 32>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<504x512xf32>) -> tensor<504x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<504x512xf32>, tensor<512x512xf32>) outs(%init : tensor<504x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<504x512xf32>
  plan.yield %r : tensor<504x512xf32>
}

plan.kernel @halves contraction (%a: tensor<504x512xf32>, %b: tensor<512x24xf32>) into (%c: tensor<504x24xf32>) cut 0 : 504 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 32>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<504x24xf32>) -> tensor<504x24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<504x512xf32>, tensor<512x24xf32>) outs(%init : tensor<504x24xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<504x24xf32>
  plan.yield %r : tensor<504x24xf32>
}

plan.kernel @neon contraction (%a: tensor<512x512xf32>, %b: tensor<512x480xf32>) into (%c: tensor<512x480xf32>) cut 0 : 512 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x480xf32>) -> tensor<512x480xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x480xf32>) outs(%init : tensor<512x480xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x480xf32>
  plan.yield %r : tensor<512x480xf32>
}

plan.kernel @neon_across contraction (%a: tensor<16x32xf32>, %b: tensor<16x480xf32>) into (%c: tensor<32x480xf32>) cut 0 : 32 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<32x480xf32>) -> tensor<32x480xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x32xf32>, tensor<16x480xf32>) outs(%init : tensor<32x480xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x480xf32>
  plan.yield %r : tensor<32x480xf32>
}

plan.kernel @little contraction (%a: tensor<512x512xf32>, %b: tensor<512x480xf32>) into (%c: tensor<512x480xf32>) cut 0 : 512 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 8>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x480xf32>) -> tensor<512x480xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x480xf32>) outs(%init : tensor<512x480xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x480xf32>
  plan.yield %r : tensor<512x480xf32>
}
