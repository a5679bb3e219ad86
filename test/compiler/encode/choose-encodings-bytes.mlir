// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64 cpu=cascadelake" | FileCheck %s --check-prefix=VNNI
// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v3,cascadelake" | FileCheck %s --check-prefix=VNNI
// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-arm64 cpu=neoverse-n1" | FileCheck %s --check-prefix=DOT
// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-arm64 cpu=generic,neoverse-n1,neoverse-n2" | FileCheck %s --check-prefix=MATRIX

// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v3" | FileCheck %s --check-prefix=PAIRS
// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v2,x86-64-v3" | FileCheck %s --check-prefix=SSE

// A weight of bytes has words of as many steps as the fastest of all CPUs multiplies at once, and is as wide as that one likes.

// VNNI:   plan.weight @u = {{.*}}#plan.encoding<panel, width = 32 k = 4, run = 64>
// VNNI:   plan.kernel @unsigned
// VNNI-SAME: encodings = [unit, #plan.encoding<panel, width = 32 k = 4, run = 64>]
// PAIRS:  plan.weight @u = {{.*}}#plan.encoding<panel, width = 16 k = 2, run = 64>
// SSE:    plan.weight @u = {{.*}}#plan.encoding<panel, width = {{[0-9]+}} k = 4, run = 64>
// DOT:    plan.weight @s = {{.*}}#plan.encoding<panel, width = 16 k = 4, run = 64>
// MATRIX: plan.weight @s = {{.*}}#plan.encoding<panel, width = 16 k = 8, run = 64>

plan.weight @u = dense<1> : tensor<64x64xi8>
plan.weight @s = dense<2> : tensor<64x64xi8>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<256x64xi8>
  %y = plan.storage output "y" 0 : memref<256x64xi32>
  %z = plan.storage output "z" 1 : memref<256x64xi32>
  %u = plan.use @u : memref<64x64xi8>
  %s = plan.use @s : memref<64x64xi8>
  plan.launch @unsigned(%x, %u) into(%y) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
  plan.launch @signed(%x, %s) into(%z) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
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

plan.kernel @signed contraction (%a: tensor<256x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
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
