// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// 512 columns are a vector of four for each of a workgroup's invocations: read once, kept in registers until they are
// written. Each reduction folds through an array of its own.

// CHECK-LABEL: gpu.module @softmax_0
// CHECK:         gpu.func @main(%[[X:[^ :]+]]: memref<3712xvector<4xf32>, {{.*}}, %[[Y:[^ :]+]]: memref<3712xvector<4xf32>
// CHECK-DAG:     %[[SUMS:[^ :]+]] = memref.alloc() : memref<128xf32, #spirv.storage_class<Workgroup>>
// CHECK-DAG:     %[[MAXIMA:[^ :]+]] = memref.alloc() : memref<128xf32, #spirv.storage_class<Workgroup>>
// CHECK:         %[[A:[^ :]+]] = memref.load %[[X]]
// CHECK-NOT:     memref.load %[[X]]
// CHECK:         memref.store {{.*}}Workgroup
// CHECK-NEXT:    gpu.barrier
// CHECK:         %[[MAX:[^ :]+]] = memref.load {{.*}}Workgroup
// CHECK:         arith.subf %[[A]]
// CHECK:         memref.store {{.*}}Workgroup
// CHECK-NEXT:    gpu.barrier
// CHECK:         %[[ALL:[^ :]+]] = vector.broadcast
// CHECK-NEXT:    %[[OUT:[^ :]+]] = arith.divf %{{[^ :]+}}, %[[ALL]] : vector<4xf32>
// CHECK:         memref.store %[[OUT]], %[[Y]]
#all = affine_map<(d0, d1) -> (d0, d1)>
#in = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @softmax row (%x: tensor<29x512xf32>) into (%y: tensor<29x512xf32>) cut 0 : 29 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<29xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<29xf32>) -> tensor<29xf32>
  %max = linalg.generic {indexing_maps = [#in, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<29x512xf32>) outs(%f : tensor<29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<29xf32>
  %ee = tensor.empty() : tensor<29x512xf32>
  %exp = linalg.generic {indexing_maps = [#in, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<29x512xf32>, tensor<29xf32>) outs(%ee : tensor<29x512xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %m = math.exp %s : f32
    linalg.yield %m : f32
  } -> tensor<29x512xf32>
  %e2 = tensor.empty() : tensor<29xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<29xf32>) -> tensor<29xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<29x512xf32>) outs(%f2 : tensor<29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<29xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #in], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<29x512xf32>, tensor<29xf32>) outs(%y : tensor<29x512xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<29x512xf32>
  plan.yield %r : tensor<29x512xf32>
}
// A sum over all of 8192 columns is written once. A quarter of the invocations reads them in a loop, and has as many partial sums in all.

// CHECK-LABEL: gpu.module @sum_0
// CHECK-NOT:     scf.for
// CHECK:         gpu.barrier
// CHECK-LABEL: gpu.module @sum_1
// CHECK:         scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK:         gpu.barrier
// CHECK:         arith.cmpi eq
// CHECK:         memref.store {{.*}} memref<3xf32
plan.kernel @sum nest (%x: tensor<3x8192xf32>) into (%y: tensor<3xf32>) cut 0 : 3 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x8192xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  plan.yield %s : tensor<3xf32>
}
