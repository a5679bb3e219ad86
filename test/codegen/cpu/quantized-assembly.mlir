// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=requantize | FileCheck %s --check-prefix=AVX512
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=requantize | FileCheck %s --check-prefix=AVX2
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=requantize | FileCheck %s --check-prefix=NEON
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v4 --kernel=fixed | FileCheck %s --check-prefix=FIXED512
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=fixed | FileCheck %s --check-prefix=FIXED2
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=fixed | FileCheck %s --check-prefix=FIXED-NEON
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=add | FileCheck %s --check-prefix=ADD2
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=add | FileCheck %s --check-prefix=ADD-NEON
// RUN: nacre-kernel %s --target=linux-x86_64 --cpu=x86-64-v3 --kernel=to_pixels | FileCheck %s --check-prefix=PIXELS2
// RUN: nacre-kernel %s --target=linux-arm64 --kernel=to_pixels_of_three | FileCheck %s --check-prefix=PIXELS-NEON

// What bodies that end in 8 bits become: one instruction rounds and converts, saturating ones narrow, and nothing is spilled.

// A sum of i32 times a scale to u8, 16 at a time. The lower bound takes NaN and what is less than any i32, too.
// AVX512-LABEL: requantize:
// AVX512:      vcvtdq2ps %zmm
// AVX512:      vmulps
// AVX512:      vminps
// AVX512-NOT:  vcmp
// AVX512:      vcvtps2dq
// AVX512-NOT:  vcmp
// AVX512:      vpmaxsd
// AVX512:      vpmovdb
// AVX512-NOT:  %rsp
// AVX512:      retq

// 32 at a time: two packs and one permutation for four registers.
// AVX2-LABEL: requantize:
// AVX2-COUNT-4: vminps
// AVX2-NOT:     vcmp
// AVX2-COUNT-2: vpackssdw
// AVX2-COUNT-2: vpaddsw
// AVX2:         vpackuswb
// AVX2-NEXT:    vpermd
// AVX2-NEXT:    vmovdqu
// AVX2-NOT:     %rsp
// AVX2:         retq

// NaN would be 0 when it is converted.
// NEON-LABEL: requantize:
// NEON:         fmaxnm
// NEON:         fcvtns
// NEON:         sqxtn2
// NEON-COUNT-2: sqadd v{{[0-9]+}}.8h
// NEON:         sqxtun v
// NEON:         sqxtun2 v
// NEON-NOT:     [sp
// NEON:         ret

// The fixed-point arithmetic of TensorFlow Lite, by products of every other lane.
// FIXED512-LABEL: fixed:
// FIXED512:     vpmuldq
// FIXED512:     vpmuldq
// FIXED512-NOT: vpmullq
// FIXED512:     vpsravd
// FIXED512-NOT: %rsp
// FIXED512:     retq

// FIXED2-LABEL: fixed:
// FIXED2-COUNT-8: vpmuldq
// FIXED2-NOT:     vpmuldq
// FIXED2:         vpacksswb
// FIXED2-NOT:     %rsp
// FIXED2:         retq

// FIXED-NEON-LABEL: fixed:
// FIXED-NEON:     sqrdmulh
// FIXED-NEON:     ssra
// FIXED-NEON:     srshl
// FIXED-NEON:     sqxtn2 v{{[0-9]+}}.16b
// FIXED-NEON-NOT: [sp
// FIXED-NEON:     ret

// A sum of two dequantized tensors: each operand is widened as it is loaded.
// ADD2-LABEL: add:
// ADD2-COUNT-8: vpmovzxbd {{.*}}(%r
// ADD2:         vpackuswb
// ADD2-NEXT:    vpermd
// ADD2-NEXT:    vmovdqu
// ADD2:         retq

// Their sum is never NaN.
// ADD-NEON-LABEL: add:
// ADD-NEON:      ldr q
// ADD-NEON-NOT:  fmaxnm
// ADD-NEON:      sqxtun2
// ADD-NEON:      str q
// ADD-NEON:      ret

// 8 rows of 16 bytes: as many registers again are left.
// PIXELS2-LABEL: to_pixels:
// PIXELS2-COUNT-24: vpunpck
// PIXELS2-NOT:      %rsp
// PIXELS2:          retq

// PIXELS-NEON-LABEL: to_pixels_of_three:
// PIXELS-NEON:      st3
// PIXELS-NEON:      ret
plan.kernel @requantize nest (%arg0: tensor<56x64xi32>, %arg1: tensor<64xi32>, %arg2: tensor<64xf32>) into (%arg3: tensor<56x64xi8>) cut 0 : 56 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %arg2 : tensor<56x64xi32>, tensor<64xi32>, tensor<64xf32>) outs(%arg3 : tensor<56x64xi8>) {
  ^bb0(%in: i32, %in_0: i32, %in_2: f32, %out: i8):
    %zero = arith.constant 120 : i16
    %4 = arith.subi %in, %in_0 : i32
    %6 = arith.sitofp %4 : i32 to f32
    %7 = arith.mulf %6, %in_2 : f32
    %17 = plan.round %7 plus %zero in 0 to 255 nan 0 : i8
    linalg.yield %17 : i8
  } -> tensor<56x64xi8>
  plan.yield %0 : tensor<56x64xi8>
}
plan.kernel @fixed nest (%arg0: tensor<56x64xi32>, %arg1: tensor<64xi32>, %arg2: tensor<64xi32>, %arg3: tensor<64xi32>) into (%arg4: tensor<56x64xi8>) cut 0 : 56 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %arg2, %arg3 : tensor<56x64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) outs(%arg4 : tensor<56x64xi8>) {
  ^bb0(%in: i32, %bias: i32, %multiplier: i32, %shift: i32, %out: i8):
    %c-128_i32 = arith.constant -128 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c31 = arith.constant 31 : i32
    %6 = arith.addi %in, %bias : i32
    %19 = plan.multiply_high %6, %multiplier
    %right = arith.subi %c0, %shift : i32
    %sign = arith.shrsi %19, %c31 : i32
    %below = arith.addi %19, %sign : i32
    %less = arith.subi %right, %c1 : i32
    %30 = plan.shift_half_up %below, %less
    %31 = arith.addi %30, %c-128_i32 : i32
    %34 = plan.clamp %31 in -128 to 127
    linalg.yield %34 : i8
  } -> tensor<56x64xi8>
  plan.yield %0 : tensor<56x64xi8>
}
plan.kernel @add nest (%arg0: tensor<56x64xi8>, %arg1: tensor<56x64xi8>) into (%arg4: tensor<56x64xi8>) cut 0 : 56 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<56x64xi8>, tensor<56x64xi8>) outs(%arg4 : tensor<56x64xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %za = arith.constant 1.280000e+02 : f32
    %zb = arith.constant 1.100000e+02 : f32
    %sa = arith.constant 0.2 : f32
    %sb = arith.constant 0.3 : f32
    %zero = arith.constant 120 : i16
    %fa = arith.uitofp %a : i8 to f32
    %fb = arith.uitofp %b : i8 to f32
    %ca = arith.subf %fa, %za : f32
    %cb = arith.subf %fb, %zb : f32
    %ma = arith.mulf %ca, %sa : f32
    %mb = arith.mulf %cb, %sb : f32
    %7 = arith.addf %ma, %mb : f32
    %17 = plan.round %7 plus %zero in 0 to 255 : i8
    linalg.yield %17 : i8
  } -> tensor<56x64xi8>
  plan.yield %0 : tensor<56x64xi8>
}
plan.kernel @to_pixels permute (%x: tensor<64x56x56xi8>) into (%y: tensor<56x56x64xi8>) cut 0 : 56 by 1 {
%r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<64x56x56xi8>) outs(%y : tensor<56x56x64xi8>) {
^bb0(%a: i8, %o: i8):
  linalg.yield %a : i8
} -> tensor<56x56x64xi8>
plan.yield %r : tensor<56x56x64xi8>
}
plan.kernel @to_pixels_of_three permute (%x: tensor<3x224x224xi8>) into (%y: tensor<224x224x3xi8>) cut 0 : 224 by 1 {
%r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<3x224x224xi8>) outs(%y : tensor<224x224x3xi8>) {
^bb0(%a: i8, %o: i8):
  linalg.yield %a : i8
} -> tensor<224x224x3xi8>
plan.yield %r : tensor<224x224x3xi8>
}
