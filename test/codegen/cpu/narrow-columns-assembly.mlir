// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=f16 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=F16
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=bf16 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=BF16
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=f16_neon | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=F16-NEON
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=bf16_neon | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=BF16-NEON
// RUN: nacre-kernel %s --target=linux-x86_64 --kernel=large | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=LARGE

// What the inner loop of a row by a matrix of narrow columns is made of: loads, what widens them, products, and no stack.

// 256 bits wide, and converted as it is loaded.
// F16:      multiply-adds: 16
// F16-NEXT: zmm: 0
// F16:      vector loads: 0
// F16:      stack: 0
// F16-NEXT: conversions: 16
// F16:      prefetches: 0

// Two vectors of columns for each load, a shift and a mask.
// BF16:      multiply-adds: 16
// BF16-NEXT: zmm: 16
// BF16:      stack: 0
// BF16-NEXT: conversions: 0
// BF16-NEXT: shifts: 8
// BF16-NEXT: masks: 8

// Eight steps in an iteration: eight vectors of columns each, from two pairs of registers, and a pair of the row's elements.
// F16-NEON:      multiply-adds: 64
// F16-NEON-NEXT: zmm: 0
// F16-NEON-NEXT: by-element: 64
// F16-NEON:      ldp: 17
// F16-NEON-NEXT: ldr: 0
// F16-NEON-NEXT: stack: 0
// F16-NEON-NEXT: conversions: 64
// F16-NEON:      prefetches: 0

// BF16-NEON:      multiply-adds: 64
// BF16-NEON:      ldp: 17
// BF16-NEON-NEXT: ldr: 0
// BF16-NEON-NEXT: stack: 0
// BF16-NEON-NEXT: conversions: 0
// BF16-NEON-NEXT: shifts: 32
// BF16-NEON-NEXT: masks: 32

// A weight of 16 MiB is in no cache: a line of what comes later is asked for with each that is read.
// LARGE: multiply-adds: 8
// LARGE: prefetches: 4

plan.kernel @f16 contraction (%a: tensor<1x256xf32>, %b: tensor<256x128xf16>) into (%c: tensor<1x128xf32>) cut 1 : 128 by 128 attributes {encodings = [unit, #plan.encoding<panel, width = 128>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x128xf32>) -> tensor<1x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x256xf32>, tensor<256x128xf16>) outs(%init : tensor<1x128xf32>) {
  ^bb0(%x: f32, %y: f16, %z: f32):
    %w = arith.extf %y : f16 to f32
    %m = arith.mulf %x, %w : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x128xf32>
  plan.yield %r : tensor<1x128xf32>
}

plan.kernel @bf16 contraction (%a: tensor<1x256xf32>, %b: tensor<256x256xbf16>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 256 attributes {encodings = [unit, #plan.encoding<panel, width = 256>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x256xf32>) -> tensor<1x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x256xf32>, tensor<256x256xbf16>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %w = arith.extf %y : bf16 to f32
    %m = arith.mulf %x, %w : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x256xf32>
  plan.yield %r : tensor<1x256xf32>
}

plan.kernel @f16_neon contraction (%a: tensor<1x256xf32>, %b: tensor<256x32xf16>) into (%c: tensor<1x32xf32>) cut 1 : 32 by 32 attributes {encodings = [unit, #plan.encoding<panel, width = 32>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x32xf32>) -> tensor<1x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x256xf32>, tensor<256x32xf16>) outs(%init : tensor<1x32xf32>) {
  ^bb0(%x: f32, %y: f16, %z: f32):
    %w = arith.extf %y : f16 to f32
    %m = arith.mulf %x, %w : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x32xf32>
  plan.yield %r : tensor<1x32xf32>
}

plan.kernel @bf16_neon contraction (%a: tensor<1x256xf32>, %b: tensor<256x32xbf16>) into (%c: tensor<1x32xf32>) cut 1 : 32 by 32 attributes {encodings = [unit, #plan.encoding<panel, width = 32>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x32xf32>) -> tensor<1x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x256xf32>, tensor<256x32xbf16>) outs(%init : tensor<1x32xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %w = arith.extf %y : bf16 to f32
    %m = arith.mulf %x, %w : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x32xf32>
  plan.yield %r : tensor<1x32xf32>
}

plan.kernel @large contraction (%a: tensor<1x4096xf32>, %b: tensor<4096x1024xf32>) into (%c: tensor<1x1024xf32>) cut 1 : 1024 by 64 attributes {encodings = [unit, #plan.encoding<panel, width = 64>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x4096xf32>, tensor<4096x1024xf32>) outs(%init : tensor<1x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x1024xf32>
  plan.yield %r : tensor<1x1024xf32>
}
