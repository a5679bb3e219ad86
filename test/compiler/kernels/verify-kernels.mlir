// RUN: nacre-opt %s --nacre-verify-kernels | FileCheck %s

// What the phase writes is accepted as it is: a halo, a slice, a nest on whole storages.

// CHECK: plan.kernel @k
// CHECK: plan.entry @main
plan.kernel @k nest (%x: tensor<4x8xf32>) into (%y: tensor<6x4xf32>) cut 0 : 4 by 1 {
  %s = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<6x4xf32>) -> tensor<6x4xf32>
  %t = tensor.extract_slice %f[1, 0] [4, 4] [1, 1] : tensor<6x4xf32> to tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
       ins(%s : tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<4x4xf32>
  %i = tensor.insert_slice %0 into %f[1, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<6x4xf32>
  plan.yield %i : tensor<6x4xf32>
}
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<4x8xf32>
  %y = plan.storage output "y" 0 : memref<6x4xf32>
  plan.launch @k(%x) into(%y) : (memref<4x8xf32>) into (memref<6x4xf32>)
}
