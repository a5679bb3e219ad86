// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file | FileCheck %s

// A scan has no emitter: plain loops. A unit is one index of the cut axis, because every operation walks it; the best value of a
// row stays in scratch, of one row, since the others come after it, and the index is computed where it is written.

// CHECK:      func.func @argmax(%[[X:[^ :]+]]: memref<300xf32> {{.*}}, %[[Y:[^ :]+]]: memref<20xi64>
// CHECK-SAME: %[[SCRATCH:[^ :]+]]: memref<64xi8>
// CHECK-SAME: %[[SHARE:[^ :]+]]: index, %{{[^ :]+}}: index, %[[BEGIN:[^ :]+]]: index, %[[END:[^ :]+]]: index)
// CHECK-SAME: nacre.fallback
// CHECK-SAME: nacre.scratch_bytes = 64
// CHECK-SAME: nacre.unit_extent = 1
// CHECK-DAG:  %[[KEPT:[^ ]+]] = memref.view %[[SCRATCH]]{{.*}} to memref<1xf32>
// CHECK-DAG:  memref.reinterpret_cast %[[KEPT]] to offset: [0], sizes: [20], strides: [0]
// CHECK:      scf.for %[[UNIT:[^ :]+]] = %[[BEGIN]] to %[[END]]
// CHECK:        arith.addi %[[SHARE]], %[[UNIT]]
// CHECK-NOT:  memref.copy
// CHECK-NOT:  memref.alloc
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @argmax scan (%x: tensor<20x15xf32>) into (%y: tensor<20xi64>) cut 0 : 20 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<20xf32>
  %best = linalg.fill ins(%lowest : f32) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %first = linalg.fill ins(%zero : i64) outs(%y : tensor<20xi64>) -> tensor<20xi64>
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<20x15xf32>) outs(%best, %first : tensor<20xf32>, tensor<20xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64):
    %better = arith.cmpf ogt, %a, %b : f32
    %here = linalg.index 1 : index
    %at = arith.index_cast %here : index to i64
    %value = arith.select %better, %a, %b : f32
    %index = arith.select %better, %at, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<20xf32>, tensor<20xi64>)
  plan.yield %r#1 : tensor<20xi64>
}

// -----

// An axis that is scanned cannot be cut: the grain says so, and the kernel is one unit. Its sums may be added up in no other
// order: nothing follows the operands but their type.

// CHECK-LABEL: func.func @whole
// CHECK-SAME:  nacre.unit_extent = 15
// CHECK:         arith.addf %{{[^ :]+}}, %{{[^ :]+}} : f32
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
plan.kernel @whole scan (%x: tensor<20x15xf32>) into (%s: tensor<15xf32>, %y: tensor<20x15xf32>) cut 0 : 15 by 15 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<15xf32>) -> tensor<15xf32>
  %r = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<20x15xf32>) outs(%f : tensor<15xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<15xf32>
  %d = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<20x15xf32>, tensor<15xf32>) outs(%y : tensor<20x15xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<20x15xf32>
  plan.yield %r, %d : tensor<15xf32>, tensor<20x15xf32>
}
