// RUN: nacre-opt %s --nacre-emit-gpu --canonicalize --split-input-file | FileCheck %s
// RUN: not nacre-opt %s --nacre-emit-gpu="precision=fp8" --split-input-file 2>&1 | FileCheck %s --check-prefix=PRECISION

// PRECISION: --precision option: Cannot find option named 'fp8'

// A variant for GPUs with fast shared memory (families 0, 4, 5 and 6), then one
// for any. The share comes from placeholders; 64 rows are two tiles of 32 and so are the columns, in one row of
// workgroups.

// CHECK-LABEL: gpu.module @documented_example_0
// CHECK:       gpu.func @main(
// CHECK-SAME:    memref<1024xvector<4xf32>, #spirv.storage_class<StorageBuffer>> {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0)>}
// CHECK-SAME:    kernel attributes {nacre.bindings = array<i64: 0, 1, 2>, nacre.families = 113 : i64, nacre.flops = 5.242880e+05 : f64,
// CHECK-SAME:    nacre.groups = 4 : i64, nacre.needs = 0 : i64, nacre.piece_bytes = 0 : i64, nacre.shared_bytes = 9216 : i64, nacre.shifted = 0 : i64, nacre.unit_extent = 64 : i64,
// CHECK-SAME:    nacre.workgroup_size = 64 : i64, spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>}
// CHECK:         memref.alloc() : memref<{{[0-9]+}}xvector<4xf32>, #spirv.storage_class<Workgroup>>
// CHECK:         builtin.unrealized_conversion_cast to index {nacre.push_constant = 0 : i64}
// CHECK:         gpu.barrier
// CHECK-LABEL: gpu.module @documented_example_1
// CHECK:         nacre.families = 0 : i64
// CHECK-SAME:    nacre.shared_bytes = 0 : i64
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     gpu.barrier
plan.kernel @documented_example contraction (%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) into (%c: tensor<64x64xf32>) cut 0 : 64 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  plan.yield %r : tensor<64x64xf32>
}

// -----

// Sizes that are no multiples of four are read element by element, and stored so. A packed weight is read four columns at
// once all the same: two panels of 8, 9 rows each, are 144 elements. Bindings come in the order of first use.

// CHECK-LABEL: gpu.module @odd_0
// CHECK:       gpu.func @main(%{{[^ :]+}}: memref<36xvector<4xf32>
// CHECK-SAME:    (0, 0)>}, %{{[^ :]+}}: memref<63xf32
// CHECK-SAME:    (0, 1)>}, %{{[^ :]+}}: memref<77xf32
// CHECK-SAME:    (0, 2)>}
// CHECK-SAME:    nacre.bindings = array<i64: 1, 0, 2>
plan.kernel @odd contraction (%a: tensor<7x9xf32>, %b: tensor<9x11xf32>) into (%c: tensor<7x11xf32>) cut 0 : 7 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 8>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<7x11xf32>) -> tensor<7x11xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x9xf32>, tensor<9x11xf32>) outs(%init : tensor<7x11xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x11xf32>
  plan.yield %r : tensor<7x11xf32>
}

// -----

// SPIR-V has no exponential of f64: the kernel stays, with the reason, and the CPU computes it.

// CHECK-LABEL: plan.kernel @declined nest
// CHECK-SAME:    nacre.declined = "{{.+}}"
plan.kernel @declined nest (%x: tensor<64xf64>) into (%y: tensor<64xf64>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf64>) outs(%y : tensor<64xf64>) {
  ^bb0(%a: f64, %o: f64):
    %e = math.exp %a : f64
    linalg.yield %e : f64
  } -> tensor<64xf64>
  plan.yield %r : tensor<64xf64>
}

// -----

// How the CPU computes a kernel is nothing to a GPU: it reads the same panels.

// CHECK-LABEL: gpu.module @by_winograd_0
// CHECK-NOT:   nacre.declined
plan.kernel @by_winograd contraction (%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16x32xf32>) into (%y: tensor<1x8x8x32xf32>) cut 1 : 8 by 4 attributes {encodings = [unit, #plan.encoding<panel, width = 16>], plan.winograd = {tile = 4 : i64, direct_cycles = 2 : i64, cycles = 1 : i64}} {
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
