// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-arm64 cpu=generic" | FileCheck %s

// Two products of bytes add up to a number of 16 bits unless both are -128 * -128. A kernel says so if no launch of it has a weight with
// a -128, and if both operands have a sign.

// CHECK:     plan.kernel @safe
// CHECK-SAME: plan.pairs_fit
// CHECK-NOT: plan.pairs_fit

plan.weight @w = dense<-127> : tensor<64x64xi8>
plan.weight @least = dense<-128> : tensor<64x64xi8>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<256x64xi8>
  %a = plan.storage output "a" 0 : memref<256x64xi32>
  %b = plan.storage output "b" 1 : memref<256x64xi32>
  %c = plan.storage output "c" 2 : memref<256x64xi32>
  %w = plan.use @w : memref<64x64xi8>
  %least = plan.use @least : memref<64x64xi8>
  plan.launch @safe(%x, %w) into(%a) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
  plan.launch @shared(%x, %w) into(%b) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
  plan.launch @shared(%x, %least) into(%b) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
  plan.launch @unsigned(%x, %w) into(%c) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
}
plan.kernel @safe contraction (%a: tensor<256x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<256x64xi32>) -> tensor<256x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xi8>, tensor<64x64xi8>) outs(%init : tensor<256x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<256x64xi32>
  plan.yield %r : tensor<256x64xi32>
}
plan.kernel @shared contraction (%a: tensor<256x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<256x64xi32>) -> tensor<256x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xi8>, tensor<64x64xi8>) outs(%init : tensor<256x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<256x64xi32>
  plan.yield %r : tensor<256x64xi32>
}
plan.kernel @unsigned contraction (%a: tensor<256x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<256x64xi32>) -> tensor<256x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x64xi8>, tensor<64x64xi8>) outs(%init : tensor<256x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<256x64xi32>
  plan.yield %r : tensor<256x64xi32>
}
