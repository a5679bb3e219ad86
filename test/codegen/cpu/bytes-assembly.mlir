// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=cascadelake --kernel=vnni | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=VNNI
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=alderlake --kernel=avx_vnni | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX-VNNI
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=avx2 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=AVX2
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=pairs | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=PAIRS
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v2 --kernel=avx2 | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=SSE
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=vnni | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=SLICES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=dot | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=DOT
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n2 --kernel=matrix | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=MATRIX
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=matrix | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=DOT8
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=dot | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=HALVES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=matrix | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=HALVES8
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a55 --kernel=dot | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=LITTLE
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=dot | %python %S/Inputs/loop_cycles.py neoverse-n1 | FileCheck %s --check-prefix=DOT-CYCLES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n2 --kernel=matrix | %python %S/Inputs/loop_cycles.py neoverse-n2 | FileCheck %s --check-prefix=MATRIX-CYCLES

// What the inner loop of a product of bytes is made of. Nothing touches the stack.

// 14 rows x 32 columns, two words in a turn.
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

// SSE:      multiply-adds: {{[1-9]}}
// SSE:      stack: 0

// Panels of 32 columns, which AVX-512 VNNI has chosen, go by in slices.
// SLICES:   multiply-adds: {{1[26]|24}}
// SLICES:   stack: 0

// 4 rows x 16 columns, eight words in a turn.
// DOT:      multiply-adds: 128
// DOT:      by-element: 128
// DOT:      ld1 of four: 8
// DOT-NEXT: ldp: 4
// DOT-NEXT: ldr: 0
// DOT-NEXT: stack: 0

// 4 rows x 16 columns, two words of eight steps in a turn.
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
