// RUN: nacre-opt %s --nacre-share-numbers --nacre-merge-kernels --mlir-print-local-scope | FileCheck %s

// The example of the pass's documentation: a factor and a zero point differ, bounds do not. A third kernel has another
// bound: it is left alone.

// CHECK-DAG:   plan.weight @[[FACTOR:[^ ]+]] = dense<5.000000e-01> : tensor<1xf32>
// CHECK-DAG:   plan.weight @[[OTHER:[^ ]+]] = dense<2.500000e-01> : tensor<1xf32>
// CHECK-DAG:   plan.weight @[[ZERO:[^ ]+]] = dense<3> : tensor<1xi16>
// CHECK-DAG:   plan.weight @[[OTHERZERO:[^ ]+]] = dense<-7> : tensor<1xi16>
// CHECK:       plan.kernel @sums_0 row (%[[X:[^ ]+]]: tensor<4x8xi8>, %[[F:[^ ]+]]: tensor<1xf32>, %[[Z:[^ ]+]]: tensor<1xi16>)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]
// CHECK-NEXT:    ^bb0(%[[S:[^ ]+]]: f32, %[[FACTORIN:[^ ]+]]: f32, %[[ZEROIN:[^ ]+]]: i16
// CHECK:           %[[PRODUCT:[^ ]+]] = arith.mulf %[[S]], %[[FACTORIN]]
// CHECK:           plan.round %[[PRODUCT]] plus %[[ZEROIN]] in 0 to 100 : i8
// CHECK-NOT:   plan.kernel @sums_1
// CHECK:       plan.kernel @sums_2 row (%{{[^ ]+}}: tensor<4x8xi8>) into
// CHECK-LABEL: plan.entry @documented_example
// CHECK:         plan.launch @sums_0(
// CHECK-NEXT:    plan.launch @sums_0(
// CHECK-NEXT:    plan.launch @sums_2(
plan.kernel @sums_0 row (%x: tensor<4x8xi8>) into (%y: tensor<4xi8>) cut 0 : 4 by 1 {
  %start = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi8>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %w = arith.sitofp %a : i8 to f32
    %t = arith.addf %o, %w : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%y : tensor<4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %factor = arith.constant 0.5 : f32
    %zero = arith.constant 3 : i16
    %p = arith.mulf %a, %factor : f32
    %t = plan.round %p plus %zero in 0 to 100 : i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  plan.yield %r : tensor<4xi8>
}
plan.kernel @sums_1 row (%x: tensor<4x8xi8>) into (%y: tensor<4xi8>) cut 0 : 4 by 1 {
  %start = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi8>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %w = arith.sitofp %a : i8 to f32
    %t = arith.addf %o, %w : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%y : tensor<4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %factor = arith.constant 0.25 : f32
    %zero = arith.constant -7 : i16
    %p = arith.mulf %a, %factor : f32
    %t = plan.round %p plus %zero in 0 to 100 : i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  plan.yield %r : tensor<4xi8>
}
plan.kernel @sums_2 row (%x: tensor<4x8xi8>) into (%y: tensor<4xi8>) cut 0 : 4 by 1 {
  %start = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi8>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %w = arith.sitofp %a : i8 to f32
    %t = arith.addf %o, %w : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4xf32>) outs(%y : tensor<4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %factor = arith.constant 0.25 : f32
    %zero = arith.constant 3 : i16
    %p = arith.mulf %a, %factor : f32
    %t = plan.round %p plus %zero in 0 to 50 : i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  plan.yield %r : tensor<4xi8>
}
plan.entry @documented_example attributes {plan.engine = "cpu"} {
  %x = plan.storage input "x" 0 : memref<4x8xi8>
  %a = plan.storage output "a" 0 : memref<4xi8>
  %b = plan.storage output "b" 1 : memref<4xi8>
  %c = plan.storage output "c" 2 : memref<4xi8>
  plan.launch @sums_0(%x) into(%a) : (memref<4x8xi8>) into (memref<4xi8>)
  plan.launch @sums_1(%x) into(%b) : (memref<4x8xi8>) into (memref<4xi8>)
  plan.launch @sums_2(%x) into(%c) : (memref<4x8xi8>) into (memref<4xi8>)
}
