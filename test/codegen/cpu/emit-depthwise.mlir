// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64 cpu=znver4" --canonicalize | FileCheck %s --check-prefix=VNNI
// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --canonicalize | FileCheck %s --check-prefix=AVX2
// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-arm64 cpu=cortex-a76" --canonicalize | FileCheck %s --check-prefix=DOTPROD
// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-arm64" --canonicalize | FileCheck %s --check-prefix=NEON

// Channels of bytes that each have a filter of their own. Four rows of a column are interleaved, and go into two rows of outputs.

// VNNI-LABEL: func.func @depthwise(
// VNNI-COUNT-4:   vector.load {{.*}} vector<64xi8>
// VNNI:           vector.shuffle {{.*}} : vector<64xi8>, vector<64xi8>
// VNNI:           vector.shuffle {{.*}} : vector<32xi16>, vector<32xi16>
// VNNI-COUNT-12:  llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// VNNI:           llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"

// Without such instructions, pairs of rows in 16 bits: an instruction more.

// AVX2-LABEL: func.func @depthwise(
// AVX2:           %[[PRODUCT:[^ ]+]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// AVX2-NEXT:      arith.addi %{{.*}}, %[[PRODUCT]]

// Here both are signed: bytes without a sign are moved by 128, and sums begin with what this takes from them.

// DOTPROD-LABEL: func.func @depthwise(
// DOTPROD:          llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// DOTPROD:          arith.shli
// DOTPROD:          arith.xori
// DOTPROD:          llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"

// Pairs of products in 16 bits, which begin with -1: twice -128 * -128 is 1 too much.

// NEON-LABEL: func.func @depthwise(
// NEON:         %[[BEGIN:[^ ]+]] = arith.constant dense<-1> : vector<8xi16>
// NEON:         %[[FIRST:[^ ]+]] = llvm.call_intrinsic "llvm.aarch64.neon.smull.v8i16"
// NEON:         arith.addi %[[FIRST]], %[[BEGIN]]
// NEON:         arith.extsi {{.*}} : vector<4xi16> to vector<4xi32>
plan.kernel @depthwise contraction (%x: tensor<1x6x6x64xi8>, %w: tensor<3x3x64xi8>, %b: tensor<64xi32>, %s: tensor<64xf32>) into (%y: tensor<1x4x4x64xi8>) cut 1 : 4 by 1 {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x4x4x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x4x4x64xi32>) -> tensor<1x4x4x64xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x6x6x64xi8>, tensor<3x3x64xi8>) outs(%f : tensor<1x4x4x64xi32>) {
  ^bb0(%a: i8, %k: i8, %o: i32):
    %aw = arith.extui %a : i8 to i32
    %kw = arith.extsi %k : i8 to i32
    %p = arith.muli %aw, %kw : i32
    %r = arith.addi %o, %p : i32
    linalg.yield %r : i32
  } -> tensor<1x4x4x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %b, %s : tensor<1x4x4x64xi32>, tensor<64xi32>, tensor<64xf32>) outs(%y : tensor<1x4x4x64xi8>) {
  ^bb0(%sum: i32, %bias: i32, %scale: f32, %o: i8):
    %begun = arith.addi %sum, %bias : i32
    %float = arith.sitofp %begun : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %byte = plan.round %scaled in 0 to 255 : i8
    linalg.yield %byte : i8
  } -> tensor<1x4x4x64xi8>
  plan.yield %r : tensor<1x4x4x64xi8>
}
