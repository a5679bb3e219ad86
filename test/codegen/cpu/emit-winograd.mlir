// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --canonicalize | FileCheck %s

// A unit holds two rows of tiles, all that there are: four tiles of the input are transformed, 6 x 6 numbers by 16 channels,
// then the 3 x 3 taps of a panel, which lie 16 channels of 16 columns apart; 36 matrices are multiplied, and sums become 4 x 4
// pixels, from the last to the first. Whole tiles are never clamped.

// CHECK-LABEL: func.func @conv(
// CHECK-SAME:    nacre.executed_flops = 1.474560e+05 : f64, nacre.flops = 5.898240e+05 : f64
// CHECK-SAME:    nacre.scratch_bytes = {{[0-9]+}} : i64, {{.*}}nacre.unit_extent = 8 : i64
// CHECK-DAG:     %[[PRODUCTS:[^ :]+]] = arith.constant 36 : index
// CHECK-DAG:     arith.constant dense<0.707106769> : vector<8xf32>
// CHECK-DAG:     arith.constant dense<1.41421354> : vector<8xf32>
// CHECK-COUNT-36:  vector.load {{.*}} vector<8xf32>
// CHECK-NOT:       scf.for
// CHECK-COUNT-36:  vector.store {{.*}} vector<8xf32>
// CHECK-COUNT-9:   vector.load {{.*}} vector<8xf32>
// CHECK-NOT:       scf.for
// CHECK-COUNT-36:  vector.store {{.*}} vector<8xf32>
// CHECK:         scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[PRODUCTS]]
// CHECK:           vector.fma {{.*}} : vector<8xf32>
// CHECK-COUNT-36:  vector.load {{.*}} vector<8xf32>
// CHECK-COUNT-16:  vector.store {{.*}} vector<8xf32>
// CHECK-NOT:     vector.store
plan.kernel @conv contraction (%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16x32xf32>) into (%y: tensor<1x8x8x32xf32>) cut 1 : 8 by 4 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = {tile = 4 : i64, direct_cycles = 2 : i64, cycles = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x10x10x16xf32>, tensor<3x3x16x32xf32>) outs(%f : tensor<1x8x8x32xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x32xf32>
  plan.yield %c : tensor<1x8x8x32xf32>
}
