// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=matmul | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=MATMUL
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=matmul | %python %S/Inputs/loop_cycles.py neoverse-n1 | FileCheck %s --check-prefix=CYCLES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=row | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=ROW
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a55 --kernel=little | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=LITTLE
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=without | FileCheck %s --check-prefix=WITHOUT
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=matmul | FileCheck %s --check-prefix=WITHOUT
// RUN: nacre-kernel %s --target=linux-x86_64 --kernel=matmul | FileCheck %s --check-prefix=X86
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=depthwise | FileCheck %s --check-prefix=HALVES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a55 --kernel=depthwise | FileCheck %s --check-prefix=HALVES
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=depthwise | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=DEPTHWISE
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a72 --kernel=depthwise | FileCheck %s --check-prefix=WITHOUT
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=cortex-a76 --kernel=ending | FileCheck %s --check-prefix=HALVES

// Halves may be added up in fp16 for 64 steps (plan.half_sums). The inner loop then multiplies eight of them by one
// instruction, and converts none. Between two such sums, registers are added to fp32 sums.

// 8 rows x 16 columns, eight steps in an iteration: a register of each row, and four registers of columns at a time.
// MATMUL:      multiply-adds: 128
// MATMUL:      by-element: 128
// MATMUL:      ld1 of four: 4
// MATMUL-NEXT: ldp: 0
// MATMUL-NEXT: ldr: 8
// MATMUL-NEXT: stack: 0
// MATMUL-NEXT: conversions: 0

// CYCLES: neoverse-n1: {{9[5-9]|100}}% of peak

// 1 row x 64 columns.
// ROW:      multiply-adds: 64
// ROW:      by-element: 64
// ROW:      ld1 of four: 16
// ROW:      stack: 0
// ROW-NEXT: conversions: 0

// 5 rows x 16 columns for a core that issues in order, sixteen steps in an iteration.
// LITTLE:      multiply-adds: 160
// LITTLE:      by-element: 160
// LITTLE:      stack: 0
// LITTLE-NEXT: conversions: 0

// A depthwise convolution, and the epilogue of a product of few steps, convert nothing.
// HALVES-NOT: fcvt
// HALVES:     fmla{{.*}}.8h
// HALVES-NOT: fcvt
// HALVES:     fadd{{.*}}.8h
// HALVES-NOT: fcvt
// HALVES:     fmin{{.*}}.8h
// HALVES-NOT: fcvt

// 3 rows of 4 pixels, whose 30 elements are loaded once. The first of nine products of a sum is no multiply-add.
// DEPTHWISE:      multiply-adds: 96
// DEPTHWISE:      ldr: 30
// DEPTHWISE-NEXT: stack: 0
// DEPTHWISE-NEXT: conversions: 0

// Without the note, or without the instruction, halves are widened and added up in fp32.
// WITHOUT-NOT: fmla{{.*}}.8h
// WITHOUT:     fmla{{.*}}.4s
// WITHOUT-NOT: fmla{{.*}}.8h

// X86: vcvtph2ps
// X86: vfmadd231ps

plan.kernel @matmul contraction (%a: tensor<512x512xf16>, %b: tensor<512x480xf16>) into (%c: tensor<512x480xf32>) cut 0 : 512 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x480xf32>) -> tensor<512x480xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf16>, tensor<512x480xf16>) outs(%init : tensor<512x480xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x480xf32>
  plan.yield %r : tensor<512x480xf32>
}

plan.kernel @without contraction (%a: tensor<512x512xf16>, %b: tensor<512x480xf16>) into (%c: tensor<512x480xf32>) cut 0 : 512 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x480xf32>) -> tensor<512x480xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf16>, tensor<512x480xf16>) outs(%init : tensor<512x480xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x480xf32>
  plan.yield %r : tensor<512x480xf32>
}

plan.kernel @row contraction (%a: tensor<1x256xf16>, %b: tensor<256x256xf16>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 64 attributes {encodings = [unit, #plan.encoding<panel, width = 64>], plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x256xf32>) -> tensor<1x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x256xf16>, tensor<256x256xf16>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x256xf32>
  plan.yield %r : tensor<1x256xf32>
}

plan.kernel @little contraction (%a: tensor<512x512xf16>, %b: tensor<512x480xf16>) into (%c: tensor<512x480xf32>) cut 0 : 512 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x480xf32>) -> tensor<512x480xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf16>, tensor<512x480xf16>) outs(%init : tensor<512x480xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x480xf32>
  plan.yield %r : tensor<512x480xf32>
}

plan.kernel @depthwise contraction (%a: tensor<1x58x58x128xf16>, %f: tensor<3x3x128xf16>, %b: tensor<128xf16>) into (%y: tensor<1x56x56x128xf16>) cut 1 : 56 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x128xf32>) -> tensor<1x56x56x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, c, i, j) -> (n, p + i, q + j, c)>, affine_map<(n, p, q, c, i, j) -> (i, j, c)>, affine_map<(n, p, q, c, i, j) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %f : tensor<1x58x58x128xf16>, tensor<3x3x128xf16>) outs(%init : tensor<1x56x56x128xf32>) {
  ^bb0(%x: f16, %v: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %w = arith.extf %v : f16 to f32
    %m = arith.mulf %u, %w : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x56x56x128xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, p, q, c) -> (n, p, q, c)>, affine_map<(n, p, q, c) -> (c)>, affine_map<(n, p, q, c) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %b : tensor<1x56x56x128xf32>, tensor<128xf16>) outs(%y : tensor<1x56x56x128xf16>) {
  ^bb0(%s: f32, %bias: f16, %o: f16):
    %six = arith.constant 6.0 : f32
    %w = arith.extf %bias : f16 to f32
    %t = arith.addf %s, %w : f32
    %m = arith.maximumf %t, %zero : f32
    %n = arith.minimumf %m, %six : f32
    %h = arith.truncf %n : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x56x56x128xf16>
  plan.yield %e : tensor<1x56x56x128xf16>
}

plan.kernel @ending contraction (%a: tensor<1x56x56x32xf16>, %f: tensor<32x96xf16>, %b: tensor<96xf16>) into (%y: tensor<1x56x56x96xf16>) cut 1 : 56 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>, unit], plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x96xf32>) -> tensor<1x56x56x96xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, o, c) -> (n, p, q, c)>, affine_map<(n, p, q, o, c) -> (c, o)>, affine_map<(n, p, q, o, c) -> (n, p, q, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%a, %f : tensor<1x56x56x32xf16>, tensor<32x96xf16>) outs(%init : tensor<1x56x56x96xf32>) {
  ^bb0(%x: f16, %v: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %w = arith.extf %v : f16 to f32
    %m = arith.mulf %u, %w : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x56x56x96xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(n, p, q, c) -> (n, p, q, c)>, affine_map<(n, p, q, c) -> (c)>, affine_map<(n, p, q, c) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r, %b : tensor<1x56x56x96xf32>, tensor<96xf16>) outs(%y : tensor<1x56x56x96xf16>) {
  ^bb0(%s: f32, %bias: f16, %o: f16):
    %six = arith.constant 6.0 : f32
    %w = arith.extf %bias : f16 to f32
    %t = arith.addf %s, %w : f32
    %m = arith.maximumf %t, %zero : f32
    %n = arith.minimumf %m, %six : f32
    %h = arith.truncf %n : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x56x56x96xf16>
  plan.yield %e : tensor<1x56x56x96xf16>
}
