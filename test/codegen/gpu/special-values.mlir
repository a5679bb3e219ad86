// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// An angle is reduced in f32, of which nothing is lost below 1e4 (1176256512 are its bits). The product with many digits of 2 / pi
// is computed where some lane is beyond, or is no number.

// CHECK-LABEL: gpu.module @angle_0
// CHECK-DAG:     %[[FAR:[^ :]+]] = arith.constant dense<1176256512> : vector<4xi32>
// CHECK-NOT:     arith.mului_extended
// CHECK:         %[[LARGE:[^ :]+]] = arith.cmpi uge, %{{[^ :]+}}, %[[FAR]]
// CHECK-COUNT-2: arith.ori {{.*}} : i1
// CHECK:         %[[ANY:[^ :]+]] = arith.ori {{.*}} : i1
// CHECK:         scf.if %[[ANY]] -> (vector<4xf32>, vector<4xi32>)
// CHECK-COUNT-2:   arith.mului_extended
// CHECK:           arith.select %[[LARGE]]
// CHECK:         } else {
// CHECK-NOT:     arith.mului_extended
plan.kernel @angle nest (%x: tensor<64x64xf32>) into (%y: tensor<64x64xf32>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.sin %a : f32
    linalg.yield %v : f32
  } -> tensor<64x64xf32>
  plan.yield %r : tensor<64x64xf32>
}

// The digits of a quotient, eight bits per iteration, are as many as the exponents' difference asks for; one iteration at least, and a
// loop for each lane.

// CHECK-LABEL: gpu.module @remainder_0
// CHECK-DAG:     %[[C8:[^ :]+]] = arith.constant 8 : index
// CHECK:         %[[ITERATIONS:[^ :]+]] = arith.divui %{{[^ :]+}}, %[[C8]] : index
// CHECK:         scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[ITERATIONS]]
// CHECK:           arith.shli
// CHECK:           arith.remui {{.*}} : i32
// CHECK-COUNT-3: scf.for
// CHECK-NOT:     arith.remf
plan.kernel @remainder nest (%x: tensor<64x64xf32>, %z: tensor<64x64xf32>) into (%y: tensor<64x64xf32>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<64x64xf32>, tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.remf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<64x64xf32>
  plan.yield %r : tensor<64x64xf32>
}

// Of negative integers SPIR-V has quotients alone.

// CHECK-LABEL: gpu.module @signed_remainder_0
// CHECK:         %[[QUOTIENT:[^ :]+]] = arith.divsi %[[A:[^ :]+]], %[[B:[^ :]+]] : vector<4xi32>
// CHECK:         %[[PRODUCT:[^ :]+]] = arith.muli %[[B]], %[[QUOTIENT]]
// CHECK:         arith.subi %[[A]], %[[PRODUCT]]
// CHECK-NOT:     arith.remsi
plan.kernel @signed_remainder nest (%x: tensor<64x64xi32>, %z: tensor<64x64xi32>) into (%y: tensor<64x64xi32>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<64x64xi32>, tensor<64x64xi32>) outs(%y : tensor<64x64xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %v = arith.remsi %a, %b : i32
    linalg.yield %v : i32
  } -> tensor<64x64xi32>
  plan.yield %r : tensor<64x64xi32>
}

// What is zero of numbers alone is asked of bits, and so is NaN; 2139095040 are the bits of infinity.

// CHECK-LABEL: gpu.module @zeros_0
// CHECK-DAG:     %[[INFINITY:[^ :]+]] = arith.constant dense<2139095040> : vector<4xi32>
// CHECK:         %[[FINITE:[^ :]+]] = arith.cmpi ult, %{{[^ :]+}}, %[[INFINITY]]
// CHECK:         arith.select %[[FINITE]]
// CHECK:         arith.cmpi ugt, %{{[^ :]+}}, %[[INFINITY]]
// CHECK-NOT:     arith.cmpf uno
// CHECK-NOT:     arith.subf
plan.kernel @zeros nest (%x: tensor<64x64xf32>) into (%y: tensor<64x64xf32>) cut 0 : 64 by 1 {
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.subf %a, %a : f32
    %n = arith.cmpf uno, %d, %d : f32
    %v = arith.select %n, %one, %d : f32
    linalg.yield %v : f32
  } -> tensor<64x64xf32>
  plan.yield %r : tensor<64x64xf32>
}
