// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=short | %python %S/Inputs/inner_loop.py | FileCheck %s --check-prefix=LOOP
// RUN: nacre-kernel %s --target=linux-arm64 --cpu=neoverse-n1 --kernel=short | FileCheck %s

// A tile of four rows by 16 columns whose reduction is too short for a loop, and what follows it. The loop over rows is the innermost one.
// All tiles read the same columns, biases and scales, which stay in memory: registers have room for none of them, and a copy on the
// stack would be read as often.

// LOOP: multiply-adds: 128
// LOOP: stack: 0

// Sums begin with the biases, so nothing is added to them. One instruction rounds and converts, and what narrows also clamps.
// CHECK-LABEL: short:
// CHECK-NOT:   {{[[:space:]]add v|frintn|fmax|fcmeq}}
// CHECK:       sqxtn2
// CHECK-NOT:   {{[[:space:]]add v|frintn|fmax|fcmeq}}
// CHECK:       ret

plan.kernel @short contraction (%a: tensor<280x32xi8>, %b: tensor<32x96xi8>, %bias: tensor<96xi32>, %scales: tensor<96xf32>) into (%c: tensor<280x96xi8>) cut 0 : 280 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 4, run = 32>, unit, unit]} {
  %zero = arith.constant 0 : i32
  %sums = tensor.empty() : tensor<280x96xi32>
  %init = linalg.fill ins(%zero : i32) outs(%sums : tensor<280x96xi32>) -> tensor<280x96xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x32xi8>, tensor<32x96xi8>) outs(%init : tensor<280x96xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<280x96xi32>
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%r, %bias, %scales : tensor<280x96xi32>, tensor<96xi32>, tensor<96xf32>) outs(%c : tensor<280x96xi8>) {
  ^bb0(%x: i32, %i: i32, %f: f32, %out: i8):
    %least = arith.constant -128 : i16
    %0 = arith.addi %x, %i : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %f : f32
    %8 = plan.round %2 plus %least in -128 to 127 : i8
    linalg.yield %8 : i8
  } -> tensor<280x96xi8>
  plan.yield %e : tensor<280x96xi8>
}
