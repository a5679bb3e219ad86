// RUN: nacre-opt %s --mlir-print-local-scope | nacre-opt | FileCheck %s

// The operations on scalars that bodies of kernels may hold besides arith and math.

// CHECK-LABEL: plan.kernel @steps nest
// CHECK:         %[[ZERO:[^ ]+]] = arith.constant 3 : i16
// CHECK:         plan.round %{{[^ ]+}} plus %[[ZERO]] in 0 to 255 nan 0 : i8
// CHECK:         plan.round %{{[^ ]+}} in -7 to 900 : i32
// CHECK:         plan.multiply_high %{{[^ ]+}}, %{{[^ ]+}}{{$}}
// CHECK:         plan.multiply_high saturates %{{[^ ]+}}, %{{[^ ]+}}{{$}}
// CHECK:         plan.shift_half_up %{{[^ ]+}}, %{{[^ ]+}}
// CHECK:         plan.clamp %{{[^ ]+}} in -128 to 127
// CHECK:         plan.lookup %{{[^ ]+}} in %[[TABLE:[^ ]+]] : tensor<256xi8>
// CHECK:         plan.lookup signed %{{[^ ]+}} in %[[TABLE]] : tensor<256xi8>
plan.kernel @steps nest (%a: tensor<8xf32>, %table: tensor<256xi8>) into (%r: tensor<8xi8>) cut 0 : 8 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%r : tensor<8xi8>) {
  ^bb0(%x: f32, %o: i8):
    %zero = arith.constant 3 : i16
    %byte = plan.round %x plus %zero in 0 to 255 nan 0 : i8
    %word = plan.round %x in -7 to 900 : i32
    %product = plan.multiply_high %word, %word
    %square = plan.multiply_high saturates %product, %product
    %places = arith.constant 4 : i32
    %shifted = plan.shift_half_up %square, %places
    %clamped = plan.clamp %shifted in -128 to 127
    %entry = plan.lookup %clamped in %table : tensor<256xi8>
    %other = plan.lookup signed %byte in %table : tensor<256xi8>
    %sum = arith.addi %entry, %other : i8
    linalg.yield %sum : i8
  } -> tensor<8xi8>
  plan.yield %0 : tensor<8xi8>
}
