// RUN: nacre-opt %s --nacre-choose-tiles="target=linux-x86_64 winograd-bytes=1000000" | FileCheck %s --check-prefix=ALL
// RUN: nacre-opt %s --nacre-choose-tiles="target=linux-x86_64 winograd-bytes=364953" | FileCheck %s --check-prefix=SOME
// RUN: nacre-opt %s --nacre-choose-tiles="target=linux-x86_64 winograd-bytes=3317" | FileCheck %s --check-prefix=NONE

// All weights together grow by no more than they may; first does what saves the most time a byte: a large image's small
// filter before a small image's large one, and that in small tiles rather than not at all.

// ALL-DAG:  plan.weight @large_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// ALL-DAG:  plan.weight @small_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// SOME-DAG: plan.weight @large_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 4>
// SOME-DAG: plan.weight @small_w = {{.*}}#plan.encoding<winograd, width = 16 tile = 2>
// NONE-DAG: plan.weight @large_w = {{.*}}#plan.encoding<panel
// NONE-DAG: plan.weight @small_w = {{.*}}#plan.encoding<panel
plan.weight @large_w = dense<1.0> : tensor<3x3x32x32xf32>
plan.weight @small_w = dense<1.0> : tensor<3x3x64x128xf32>
plan.kernel @large contraction (%x: tensor<1x58x58x32xf32>, %w: tensor<3x3x32x32xf32>) into (%y: tensor<1x56x56x32xf32>) cut 1 : 56 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x56x56x32xf32>) -> tensor<1x56x56x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x58x58x32xf32>, tensor<3x3x32x32xf32>) outs(%f : tensor<1x56x56x32xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x56x56x32xf32>
  plan.yield %c : tensor<1x56x56x32xf32>
}
plan.kernel @small contraction (%x: tensor<1x16x16x64xf32>, %w: tensor<3x3x64x128xf32>) into (%y: tensor<1x14x14x128xf32>) cut 1 : 14 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x14x14x128xf32>) -> tensor<1x14x14x128xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x16x64xf32>, tensor<3x3x64x128xf32>) outs(%f : tensor<1x14x14x128xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x14x14x128xf32>
  plan.yield %c : tensor<1x14x14x128xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x58x58x32xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x56x56x32xf32>
  %w0 = plan.use @large_w : memref<3x3x32x32xf32>
  plan.launch @large(%x0, %w0) into(%y0) : (memref<1x58x58x32xf32>, memref<3x3x32x32xf32>) into (memref<1x56x56x32xf32>)
  %x1 = plan.storage input "x1" 1 : memref<1x16x16x64xf32>
  %y1 = plan.storage output "y1" 1 : memref<1x14x14x128xf32>
  %w1 = plan.use @small_w : memref<3x3x64x128xf32>
  plan.launch @small(%x1, %w1) into(%y1) : (memref<1x16x16x64xf32>, memref<3x3x64x128xf32>) into (memref<1x14x14x128xf32>)
}
