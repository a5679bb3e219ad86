// RUN: nacre-opt %s --split-input-file --nacre-rate-products="target=linux-arm64 cpu=cortex-a76" | FileCheck %s --check-prefix=DOT
// RUN: nacre-opt %s --split-input-file --nacre-rate-products="target=linux-arm64 cpu=neoverse-n2" | FileCheck %s --check-prefix=MATRIX
// RUN: nacre-opt %s --split-input-file --nacre-rate-products="target=linux-arm64 cpu=cortex-a72" | FileCheck %s --check-prefix=NEON
// RUN: nacre-opt %s --split-input-file --nacre-rate-products="target=linux-x86_64 cpu=cascadelake" | FileCheck %s --check-prefix=VNNI

// Against f32, dot products of bytes are almost four times as fast, matrix products more, doubles half as fast. What loops and
// epilogues of tiles cost is in the rates, too.

// DOT:    plan.kernel @documented_example
// DOT-SAME: plan.product_rate = 3.{{[0-9]+}} : f64
// DOT:    plan.kernel @floats
// DOT-NOT:  product_rate
// DOT:      arith.constant
// DOT:    plan.kernel @doubles
// DOT-SAME: plan.product_rate = 0.48{{[0-9]+}} : f64
// DOT:    plan.kernel @depthwise
// DOT-SAME: plan.product_rate = 1.8{{.*}} : f64

// MATRIX: plan.kernel @documented_example
// MATRIX-SAME: plan.product_rate = 5.{{[0-9]+}} : f64
// NEON:   plan.kernel @documented_example
// NEON-SAME: plan.product_rate = 0.9{{[0-9]+}} : f64

// Its dot products want a left operand without a sign.
// VNNI:   plan.kernel @documented_example
// VNNI-SAME: plan.product_rate = 1.{{[0-9]+}} : f64
// VNNI:   plan.kernel @mixed
// VNNI-SAME: plan.product_rate = 3.{{[0-9]+}} : f64

plan.kernel @documented_example contraction (%a: tensor<256x256xi8>, %b: tensor<256x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<256x64xi32>) -> tensor<256x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x256xi8>, tensor<256x64xi8>) outs(%init : tensor<256x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<256x64xi32>
  plan.yield %r : tensor<256x64xi32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#lhs, #rhs, #sum], iterator_types = ["parallel", "parallel", "reduction"]}

plan.kernel @floats contraction (%a: tensor<256x256xf32>, %b: tensor<256x64xf32>) into (%c: tensor<256x64xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x64xf32>) -> tensor<256x64xf32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf32>, tensor<256x64xf32>) outs(%init : tensor<256x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x64xf32>
  plan.yield %r : tensor<256x64xf32>
}

plan.kernel @mixed contraction (%a: tensor<256x256xi8>, %b: tensor<256x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<256x64xi32>) -> tensor<256x64xi32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xi8>, tensor<256x64xi8>) outs(%init : tensor<256x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<256x64xi32>
  plan.yield %r : tensor<256x64xi32>
}

plan.kernel @doubles contraction (%a: tensor<256x256xf64>, %b: tensor<256x64xf64>) into (%c: tensor<256x64xf64>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f64
  %init = linalg.fill ins(%zero : f64) outs(%c : tensor<256x64xf64>) -> tensor<256x64xf64>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf64>, tensor<256x64xf64>) outs(%init : tensor<256x64xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %m = arith.mulf %x, %y : f64
    %s = arith.addf %z, %m : f64
    linalg.yield %s : f64
  } -> tensor<256x64xf64>
  plan.yield %r : tensor<256x64xf64>
}

plan.kernel @depthwise contraction (%x: tensor<1x16x16x32xi8>, %w: tensor<3x3x32xi8>) into (%y: tensor<1x14x14x32xi32>) cut 1 : 14 by 1 {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%y : tensor<1x14x14x32xi32>) -> tensor<1x14x14x32xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x16x32xi8>, tensor<3x3x32xi8>) outs(%f : tensor<1x14x14x32xi32>) {
  ^bb0(%a: i8, %d: i8, %o: i32):
    %u = arith.extsi %a : i8 to i32
    %v = arith.extsi %d : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %o, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x14x14x32xi32>
  plan.yield %c : tensor<1x14x14x32xi32>
}

// -----

// Products of nothing have no rate.

// DOT:     plan.kernel @empty
// DOT-NOT:   product_rate
// DOT:       plan.yield

plan.kernel @empty contraction (%a: tensor<1x4xi8>, %b: tensor<4x0xi8>) into (%c: tensor<1x0xi32>) cut 0 : 1 by 1 {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<1x0xi32>) -> tensor<1x0xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x4xi8>, tensor<4x0xi8>) outs(%init : tensor<1x0xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x0xi32>
  plan.yield %r : tensor<1x0xi32>
}

// -----

// Halves that may be added up in fp16 for some steps (plan.half_sums), on a CPU that has the instruction.

// DOT:      plan.kernel @halves
// DOT-SAME: plan.product_rate = 1.{{[6-9][0-9]*}} : f64
// DOT:      plan.kernel @halves_without_note
// DOT-NOT:  product_rate
// DOT:      plan.kernel @depthwise_halves
// DOT-SAME: plan.product_rate = 2.0{{0*e\+00}} : f64
// DOT:      plan.kernel @too_many_taps
// DOT-NOT:  product_rate
// NEON:     plan.kernel @halves
// NEON-NOT: product_rate

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#lhs, #rhs, #sum], iterator_types = ["parallel", "parallel", "reduction"]}

plan.kernel @halves contraction (%a: tensor<256x256xf16>, %b: tensor<256x64xf16>) into (%c: tensor<256x64xf32>) cut 0 : 256 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x64xf32>) -> tensor<256x64xf32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf16>, tensor<256x64xf16>) outs(%init : tensor<256x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x64xf32>
  plan.yield %r : tensor<256x64xf32>
}
plan.kernel @halves_without_note contraction (%a: tensor<256x256xf16>, %b: tensor<256x64xf16>) into (%c: tensor<256x64xf32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x64xf32>) -> tensor<256x64xf32>
  %r = linalg.generic #product ins(%a, %b : tensor<256x256xf16>, tensor<256x64xf16>) outs(%init : tensor<256x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<256x64xf32>
  plan.yield %r : tensor<256x64xf32>
}
plan.kernel @depthwise_halves contraction (%a: tensor<1x10x10x64xf16>, %b: tensor<3x3x64xf16>) into (%c: tensor<1x8x8x64xf32>) cut 1 : 8 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, c, i, j) -> (n, p + i, q + j, c)>, affine_map<(n, p, q, c, i, j) -> (i, j, c)>, affine_map<(n, p, q, c, i, j) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<1x10x10x64xf16>, tensor<3x3x64xf16>) outs(%init : tensor<1x8x8x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x64xf32>
  plan.yield %r : tensor<1x8x8x64xf32>
}
plan.kernel @too_many_taps contraction (%a: tensor<1x16x16x64xf16>, %b: tensor<9x9x64xf16>) into (%c: tensor<1x8x8x64xf32>) cut 1 : 8 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, p, q, c, i, j) -> (n, p + i, q + j, c)>, affine_map<(n, p, q, c, i, j) -> (i, j, c)>, affine_map<(n, p, q, c, i, j) -> (n, p, q, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<1x16x16x64xf16>, tensor<9x9x64xf16>) outs(%init : tensor<1x8x8x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x64xf32>
  plan.yield %r : tensor<1x8x8x64xf32>
}
