// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file | FileCheck %s

// Eight rows of eight are read, transposed in registers by three rounds of shuffles, and written. 20 columns are two blocks and
// one that overlaps the second.

// CHECK-LABEL: func.func @matrix
// CHECK-NOT:     nacre.fallback
// CHECK:         scf.for
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK-COUNT-8: vector.store
plan.kernel @matrix permute (%x: tensor<64x20xf32>) into (%y: tensor<20x64xf32>) cut 0 : 20 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x20xf32>) outs(%y : tensor<20x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<20x64xf32>
  plan.yield %r : tensor<20x64xf32>
}

// Three planes become pixels by one shuffle of three vectors.

// CHECK-LABEL: func.func @to_pixels
// CHECK:         vector.shuffle {{.*}} : vector<16xf32>, vector<8xf32>
// CHECK:         vector.store {{.*}} vector<24xf32>
plan.kernel @to_pixels permute (%x: tensor<1x3x16x32xf32>) into (%y: tensor<1x16x32x3xf32>) cut 1 : 16 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x3x16x32xf32>) outs(%y : tensor<1x16x32x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<1x16x32x3xf32>
  plan.yield %r : tensor<1x16x32x3xf32>
}
