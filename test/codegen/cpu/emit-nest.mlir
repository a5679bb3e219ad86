// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-arm64" --split-input-file | FileCheck %s --check-prefix=NEON

// Pixels follow one another, so rows and columns of an image are one loop: 32 rows of 7 pixels are 224. 37 channels are four
// vectors and five lanes, which AVX2 loads under a mask and stores in pieces, NEON in pieces both ways.

// CHECK-LABEL: func.func @bias
// CHECK-NOT:     nacre.fallback
// CHECK-SAME:    nacre.unit_extent = 32
// CHECK-DAG:     %[[ROWS:[^ ,:()]+]] = arith.constant 32 : index
// CHECK-DAG:     %[[PIXELS:[^ ,:()]+]] = arith.constant 224 : index
// CHECK:         scf.for {{.*}} step %[[ROWS]] {
// CHECK-NEXT:      scf.for {{.*}} to %[[PIXELS]] step
// CHECK-COUNT-8:     vector.load {{.*}} vector<8xf32>
// CHECK-COUNT-4:     arith.addf {{.*}} : vector<8xf32>
// CHECK-COUNT-4:     vector.store {{.*}} vector<8xf32>
// CHECK-COUNT-2:     vector.maskedload
// CHECK:             arith.addf
// CHECK:             vector.store {{.*}} vector<4xf32>
// CHECK:             vector.store {{.*}} vector<1xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }

// NEON-LABEL: func.func @bias
// NEON-NOT:     vector.maskedload
plan.kernel @bias nest (%x: tensor<1x60x7x37xf32>, %b: tensor<37xf32>) into (%y: tensor<1x60x7x37xf32>) cut 1 : 60 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<1x60x7x37xf32>, tensor<37xf32>) outs(%y : tensor<1x60x7x37xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x60x7x37xf32>
  plan.yield %r : tensor<1x60x7x37xf32>
}

// -----

// A polynomial needs registers: two vectors at a time instead of four. Nothing calls the C library.

// CHECK-LABEL: func.func @exponential
// CHECK-DAG:     %[[TILE:[^ ,:()]+]] = arith.constant 16 : index
// CHECK:         scf.for {{.*}} step %[[TILE]] {
// CHECK-COUNT-2:   vector.load
// CHECK-NOT:       vector.load
// CHECK:           math.fma
// CHECK-COUNT-2:   vector.store
// CHECK-NEXT:    }
// CHECK-NOT:     math.exp
// CHECK-NOT:     call
plan.kernel @exponential nest (%x: tensor<60x64xf32>) into (%y: tensor<60x64xf32>) cut 0 : 60 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<60x64xf32>) outs(%y : tensor<60x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<60x64xf32>
  plan.yield %r : tensor<60x64xf32>
}

// -----

// Sums of columns: eight vectors of columns stay in registers while the rows go by.

// CHECK-LABEL: func.func @columns
// CHECK-DAG:     %[[ALL:[^ ,:()]+]] = arith.constant 50 : index
// CHECK:         %[[SUMS:[^ ,:()]+]]:8 = scf.for {{.*}} to %[[ALL]] {{.*}} iter_args(
// CHECK-COUNT-8:   vector.load
// CHECK-COUNT-8:   arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT:      scf.yield
// CHECK:         vector.store %[[SUMS]]#0
// CHECK:         vector.store %[[SUMS]]#7
plan.kernel @columns nest (%x: tensor<50x64xf32>) into (%y: tensor<64xf32>) cut 0 : 64 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, i) -> (i, c)>, affine_map<(c, i) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<50x64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  plan.yield %r : tensor<64xf32>
}

// -----

// Sums of rows: two rows at a time with four accumulators each, which hides the latency of an addition. The three elements that
// are left of 67 join the first accumulator, where a mask keeps them from its other lanes; lanes are added in halves.

// CHECK-LABEL: func.func @rows
// CHECK-DAG:     %[[MASK:[^ ,:()]+]] = vector.constant_mask [3] : vector<8xi1>
// CHECK:         %[[SUMS:[^ ,:()]+]]:8 = scf.for {{.*}} iter_args(
// CHECK-COUNT-8:   vector.load
// CHECK:         }
// CHECK:         vector.maskedload {{.*}}, %[[MASK]],
// CHECK:         %[[REST:[^ ,:()]+]] = arith.select %[[MASK]]
// CHECK:         arith.addf %[[SUMS]]#0, %[[REST]] : vector<8xf32>
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<2xf32>
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK-COUNT-2: memref.store
plan.kernel @rows nest (%x: tensor<50x67xf32>) into (%y: tensor<50xf32>) cut 0 : 50 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<50xf32>) -> tensor<50xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, i) -> (c, i)>, affine_map<(c, i) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<50x67xf32>) outs(%f : tensor<50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<50xf32>
  plan.yield %r : tensor<50xf32>
}

// -----

// A window that leaves the image is cut into the regions in which it does not: at the left edge two of its three columns, then
// three, at the right edge two. No loop asks where it is, and padding is never read.

// CHECK-LABEL: func.func @pool
// CHECK-NOT:     nacre.fallback
// CHECK:         scf.for
// CHECK-COUNT-16:  vector.load
// CHECK-NOT:       vector.load
// CHECK:           vector.store
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK-COUNT-24:    vector.load
// CHECK-NOT:         vector.load
// CHECK:             vector.store
// CHECK:         scf.for
// CHECK-COUNT-16:  vector.load
// CHECK-NOT:       vector.load
// CHECK-NOT:     scf
// CHECK:         return
plan.kernel @pool nest (%x: tensor<1x4x12x64xf32>) into (%y: tensor<1x4x12x64xf32>) cut 1 : 4 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x12x64xf32> to tensor<1x4x14x64xf32>
  %window = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%y : tensor<1x4x12x64xf32>) -> tensor<1x4x12x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, j) -> (n, h, w + j, c)>, affine_map<(n, h, w, c, j) -> (j)>, affine_map<(n, h, w, c, j) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %window : tensor<1x4x14x64xf32>, tensor<3xf32>) outs(%f : tensor<1x4x12x64xf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x4x12x64xf32>
  plan.yield %r : tensor<1x4x12x64xf32>
}

// -----

// Lanes of a quotient cannot be folded: the fallback computes it in order.

// CHECK-LABEL: func.func @quotient
// CHECK-SAME:    nacre.fallback = "nest"
plan.kernel @quotient nest (%x: tensor<50x67xf32>) into (%y: tensor<50xf32>) cut 0 : 50 by 1 {
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%y : tensor<50xf32>) -> tensor<50xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, i) -> (c, i)>, affine_map<(c, i) -> (c)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<50x67xf32>) outs(%f : tensor<50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.divf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<50xf32>
  plan.yield %r : tensor<50xf32>
}
