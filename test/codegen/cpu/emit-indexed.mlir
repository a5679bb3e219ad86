// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file | FileCheck %s

// Where a row of the table begins is computed once for the row, with scalars; the row itself moves in vectors.

// CHECK-LABEL: func.func @embedding
// CHECK-NOT:     nacre.fallback
// CHECK:         scf.for
// CHECK:           %[[AT:[^ ,:()]+]] = memref.load {{.*}} : memref<19xi64>
// CHECK:           %[[ROW:[^ ,:()]+]] = arith.index_cast {{.*}} : i64 to index
// CHECK:           scf.for
// CHECK-COUNT-4:     vector.load {{.*}} vector<8xf32>
// CHECK-NOT:         memref.load
plan.kernel @embedding indexed (%w: tensor<50x128xf32>, %i: tensor<19xi64>) into (%y: tensor<19x128xf32>) cut 0 : 19 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<19xi64>) outs(%y : tensor<19x128xf32>) {
  ^bb0(%at: i64, %o: f32):
    %row = arith.index_cast %at : i64 to index
    %column = linalg.index 1 : index
    %e = tensor.extract %w[%row, %column] : tensor<50x128xf32>
    linalg.yield %e : f32
  } -> tensor<19x128xf32>
  plan.yield %r : tensor<19x128xf32>
}

// -----

// Single elements are picked by the fallback.

// CHECK-LABEL: func.func @elements
// CHECK-SAME:    nacre.fallback
plan.kernel @elements indexed (%w: tensor<50xf32>, %i: tensor<19xi64>) into (%y: tensor<19xf32>) cut 0 : 19 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<19xi64>) outs(%y : tensor<19xf32>) {
  ^bb0(%at: i64, %o: f32):
    %row = arith.index_cast %at : i64 to index
    %e = tensor.extract %w[%row] : tensor<50xf32>
    linalg.yield %e : f32
  } -> tensor<19xf32>
  plan.yield %r : tensor<19xf32>
}
