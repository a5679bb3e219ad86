// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=cascadelake --kernel=vnni | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=VNNI
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=alderlake --kernel=avx_vnni | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX-VNNI
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=avx2 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX2
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=pairs | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=PAIRS
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v2 --kernel=avx2 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=SSE
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=depthwise | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=DEPTHWISE
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=vnni | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=SLICES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=dot | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=DOT
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n2 --kernel=matrix | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=MATRIX
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=matrix | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=DOT8
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=dot | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=HALVES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=matrix | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=HALVES8
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=run | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=RUN21
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a55 --kernel=dot | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=LITTLE
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=dot | %python %S/Inputs/loop_cycles.py neoverse-n1 | FileCheck %s --check-prefix=DOT-CYCLES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n2 --kernel=matrix | %python %S/Inputs/loop_cycles.py neoverse-n2 | FileCheck %s --check-prefix=MATRIX-CYCLES

// What the inner loop of a product of bytes is made of. Nothing touches the stack.

// 14 rows x 32 columns, two words in an iteration.
// VNNI:     multiply-adds: 56
// VNNI:     stack: 0

// 6 rows x 16 columns.
// AVX-VNNI: multiply-adds: 24
// AVX-VNNI: stack: 0

// 6 rows x 8 columns, two sums of each: columns are widened, rows have been before.
// AVX2:     multiply-adds: 24
// AVX2:     stack: 0
// AVX2:     widened: 4

// 6 rows x 16 columns.
// PAIRS:    multiply-adds: 24
// PAIRS:    word broadcasts: 12
// PAIRS:    stack: 0
// PAIRS:    widened: 4

// 2 x 2 outputs of 16 channels, each sum by itself.
// DEPTHWISE: multiply-adds: 48
// DEPTHWISE: stack: 0
// DEPTHWISE: widened: 16

// SSE:      multiply-adds: {{[1-9]}}
// SSE:      stack: 0

// Panels of 32 columns, which AVX-512 VNNI has chosen, go by in slices.
// SLICES:   multiply-adds: {{1[26]|24}}
// SLICES:   stack: 0

// 4 rows x 16 columns, eight words in an iteration.
// DOT:      multiply-adds: 128
// DOT:      by-element: 128
// DOT:      ld1 of four: 8
// DOT-NEXT: ldp: 4
// DOT-NEXT: ldr: 0
// DOT-NEXT: stack: 0

// 4 rows x 16 columns, two words of eight steps in an iteration.
// MATRIX:      multiply-adds: 32
// MATRIX:      ld1 of four: 4
// MATRIX-NEXT: ldp: 0
// MATRIX-NEXT: ldr: 4
// MATRIX-NEXT: stack: 0

// 8 rows x 8 columns of the same panels, taken apart as they are loaded.
// DOT8:        multiply-adds: 64
// DOT8:        by-element: 64
// DOT8:        stack: 0
// DOT8:        ld2: 4

// Without dot products.
// HALVES:      multiply-adds: 128
// HALVES:      stack: 0
// HALVES8:     multiply-adds: 64
// HALVES8:     stack: 0
// HALVES8:     ld2: 16

// 2 rows x 12 columns, of a run of 21 steps: six words, the last of which begins within the one before. They are three pairs.
// RUN21:       multiply-adds: 36
// RUN21:       stack: 0

// LITTLE:      multiply-adds: 128
// LITTLE:      by-element: 128
// LITTLE:      stack: 0

// DOT-CYCLES: neoverse-n1: {{9[2-9]|100}}%
// MATRIX-CYCLES: neoverse-n2: {{8[5-9]|9[0-9]}}%

plan.kernel @vnni contraction (%a: tensor<280x512xi8>, %b: tensor<512x96xi8>) into (%c: tensor<280x96xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 32 k = 4, run = 512>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x512xi8>, tensor<512x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  plan.yield %r : tensor<280x96xi32>
}

plan.kernel @avx_vnni contraction (%a: tensor<280x512xi8>, %b: tensor<512x96xi8>) into (%c: tensor<280x96xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 4, run = 512>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x512xi8>, tensor<512x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  plan.yield %r : tensor<280x96xi32>
}

plan.kernel @avx2 contraction (%a: tensor<280x512xi8>, %b: tensor<512x96xi8>) into (%c: tensor<280x96xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 8 k = 4, run = 512>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x512xi8>, tensor<512x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  plan.yield %r : tensor<280x96xi32>
}

plan.kernel @pairs contraction (%a: tensor<280x512xi8>, %b: tensor<512x96xi8>) into (%c: tensor<280x96xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 2, run = 512>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x512xi8>, tensor<512x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  plan.yield %r : tensor<280x96xi32>
}

plan.kernel @dot contraction (%a: tensor<280x512xi8>, %b: tensor<512x96xi8>) into (%c: tensor<280x96xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 4, run = 512>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x512xi8>, tensor<512x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  plan.yield %r : tensor<280x96xi32>
}

plan.kernel @matrix contraction (%a: tensor<280x512xi8>, %b: tensor<512x96xi8>) into (%c: tensor<280x96xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 8, run = 512>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x512xi8>, tensor<512x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  plan.yield %r : tensor<280x96xi32>
}

plan.kernel @depthwise contraction (%x: tensor<1x30x30x64xi8>, %w: tensor<3x3x64xi8>, %b: tensor<64xi32>, %s: tensor<64xf32>) into (%y: tensor<1x28x28x64xi8>) cut 1 : 28 by 1 {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x28x28x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x28x28x64xi32>) -> tensor<1x28x28x64xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x64xi8>, tensor<3x3x64xi8>) outs(%f : tensor<1x28x28x64xi32>) {
  ^bb0(%a: i8, %k: i8, %o: i32):
    %aw = arith.extui %a : i8 to i32
    %kw = arith.extsi %k : i8 to i32
    %p = arith.muli %aw, %kw : i32
    %r = arith.addi %o, %p : i32
    linalg.yield %r : i32
  } -> tensor<1x28x28x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b, %s : tensor<1x28x28x64xi32>, tensor<64xi32>, tensor<64xf32>) outs(%y : tensor<1x28x28x64xi8>) {
  ^bb0(%sum: i32, %bias: i32, %scale: f32, %o: i8):
    %begun = arith.addi %sum, %bias : i32
    %float = arith.sitofp %begun : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %byte = plan.round %scaled in 0 to 255 : i8
    linalg.yield %byte : i8
  } -> tensor<1x28x28x64xi8>
  plan.yield %r : tensor<1x28x28x64xi8>
}

plan.kernel @run contraction (%a: tensor<280x21xi8>, %b: tensor<21x24xi8>) into (%c: tensor<280x24xi32>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 12 k = 4, run = 21>], plan.pairs_fit} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<280x24xi32>) -> tensor<280x24xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x21xi8>, tensor<21x24xi8>) outs(%init : tensor<280x24xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x24xi32>
  plan.yield %r : tensor<280x24xi32>
}
