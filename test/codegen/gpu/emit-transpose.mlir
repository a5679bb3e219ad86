// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// Tiles of 32 x 32, with a column more so that neither way of walking them meets one bank again and again: what is read
// along the source's rows is written along the result's. Only the axis of 36 has an edge.

// CHECK-LABEL: gpu.module @transpose_0
// CHECK:         gpu.func @main(%[[X:[^ :]+]]: memref<2304xf32, {{.*}}, %[[Y:[^ :]+]]: memref<2304xf32{{.*}} nacre.groups = 2 : i64{{.*}} nacre.unit_extent = 32 : i64
// CHECK-DAG:     %[[C32:[^ :]+]] = arith.constant 32 : index
// CHECK-DAG:     %[[C33:[^ :]+]] = arith.constant 33 : index
// CHECK:         %[[TILE:[^ :]+]] = memref.alloc() : memref<1056xf32, #spirv.storage_class<Workgroup>>
// CHECK:         %[[FAST:[^ :]+]] = arith.remui %{{[^ :]+}}, %[[C32]]
// CHECK:         %[[SLOW:[^ :]+]] = arith.divui %{{[^ :]+}}, %[[C32]]
// CHECK:           %[[A:[^ :]+]] = memref.load %[[X]]
// CHECK:           memref.store %[[A]], %[[TILE]]
// CHECK:         gpu.barrier
// CHECK:           %[[B:[^ :]+]] = memref.load %[[TILE]]
// CHECK:           memref.store %[[B]], %[[Y]]
plan.kernel @transpose permute (%x: tensor<64x36xf32>) into (%y: tensor<36x64xf32>) cut 0 : 36 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x36xf32>) outs(%y : tensor<36x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<36x64xf32>
  plan.yield %r : tensor<36x64xf32>
}
