// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-arm64" | FileCheck %s
// RUN: not nacre-opt %s --nacre-emit-cpu="target=linux-riscv64" 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: target

// A kernel becomes a function on flat arrays, of a share of the cut axis and a range of the share's units.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ ,:()]+]]: memref<32xf32> {{[^,]*}}, %[[Y:[^ ,:()]+]]: memref<32xf32> {{[^,]*}}, %{{[^ ,:()]+}}: memref<0xi8> {{[^,]*}},
// CHECK-SAME:    %{{[^ ,:()]+}}: index, %{{[^ ,:()]+}}: index, %{{[^ ,:()]+}}: index, %{{[^ ,:()]+}}: index)
// CHECK-SAME:    nacre.kernel, nacre.scratch_bytes = 0 : i64, nacre.unit_extent = {{[1-4]}} : i64
// CHECK-NOT:     plan.
// CHECK:         %[[A:[^ ,:()]+]] = vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK:         vector.store %{{[^ ,:()]+}}, %[[Y]]{{.*}} vector<4xf32>
plan.kernel @documented_example nest (%x: tensor<4x8xf32>) into (%y: tensor<4x8xf32>) cut 0 : 4 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %relu = arith.maximumf %a, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<4x8xf32>
  plan.yield %r : tensor<4x8xf32>
}
