// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64" --split-input-file | FileCheck %s --check-prefixes=CHECK,SINGLES
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64" --split-input-file | FileCheck %s --check-prefixes=CHECK,SINGLES
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64 cpu=cortex-a76" --split-input-file | FileCheck %s --check-prefixes=CHECK,HALVES
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 accuracy=strict" --split-input-file | FileCheck %s --check-prefix=STRICT

// A 3x3 convolution reads panels, as any other does; that the CPU computes it by Winograd, in tiles of 4x4, is noted on the
// kernel, which may be cut at whole tiles alone. Who wants it strictly gets it directly.

// CHECK:      plan.weight @conv_w = {{.*}}#plan.encoding<panel, width = [[WIDTH:[0-9]+]]>
// CHECK:      plan.kernel @conv contraction
// CHECK-SAME: cut 1 : 28 by 4
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = [[WIDTH]]>]
// CHECK-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}
// STRICT:      plan.kernel @conv contraction
// STRICT-SAME: cut 1 : 28 by 1
// STRICT-NOT:  plan.winograd
plan.weight @conv_w = dense<1.0> : tensor<3x3x64x64xf32>
plan.kernel @conv contraction (%x: tensor<1x30x30x64xf32>, %w: tensor<3x3x64x64xf32>) into (%y: tensor<1x28x28x64xf32>) cut 1 : 28 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x28x28x64xf32>
  plan.yield %c : tensor<1x28x28x64xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x30x30x64xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x28x28x64xf32>
  %w0 = plan.use @conv_w : memref<3x3x64x64xf32>
  plan.launch @conv(%x0, %w0) into(%y0) : (memref<1x30x30x64xf32>, memref<3x3x64x64xf32>) into (memref<1x28x28x64xf32>)
}

// -----

// So do 5x5 taps, of which 4x4 pixels take 64 products in place of 400.

// CHECK:      plan.kernel @five contraction
// CHECK-SAME: cut 1 : 14 by 4
// CHECK-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}
plan.weight @five_w = dense<1.0> : tensor<5x5x64x64xf32>
plan.kernel @five contraction (%x: tensor<1x18x18x64xf32>, %w: tensor<5x5x64x64xf32>) into (%y: tensor<1x14x14x64xf32>) cut 1 : 14 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x18x18x64xf32>, tensor<5x5x64x64xf32>) outs(%f : tensor<1x14x14x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x14x14x64xf32>
  plan.yield %c : tensor<1x14x14x64xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x18x18x64xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x14x14x64xf32>
  %w0 = plan.use @five_w : memref<5x5x64x64xf32>
  plan.launch @five(%x0, %w0) into(%y0) : (memref<1x18x18x64xf32>, memref<5x5x64x64xf32>) into (memref<1x14x14x64xf32>)
}

// -----

// Strides, oblong windows and few channels stay direct.

// CHECK-NOT: plan.winograd
plan.weight @strided_w = dense<1.0> : tensor<3x3x64x64xf32>
plan.kernel @strided contraction (%x: tensor<1x29x29x64xf32>, %w: tensor<3x3x64x64xf32>) into (%y: tensor<1x14x14x64xf32>) cut 1 : 14 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x29x29x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<1x14x14x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x14x14x64xf32>
  plan.yield %c : tensor<1x14x14x64xf32>
}
plan.weight @oblong_w = dense<1.0> : tensor<5x3x64x64xf32>
plan.kernel @oblong contraction (%x: tensor<1x18x16x64xf32>, %w: tensor<5x3x64x64xf32>) into (%y: tensor<1x14x14x64xf32>) cut 1 : 14 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x18x16x64xf32>, tensor<5x3x64x64xf32>) outs(%f : tensor<1x14x14x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x14x14x64xf32>
  plan.yield %c : tensor<1x14x14x64xf32>
}
plan.weight @colours_w = dense<1.0> : tensor<3x3x3x64xf32>
plan.kernel @colours contraction (%x: tensor<1x30x30x3xf32>, %w: tensor<3x3x3x64xf32>) into (%y: tensor<1x28x28x64xf32>) cut 1 : 28 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x3xf32>, tensor<3x3x3x64xf32>) outs(%f : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x28x28x64xf32>
  plan.yield %c : tensor<1x28x28x64xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x29x29x64xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x14x14x64xf32>
  %w0 = plan.use @strided_w : memref<3x3x64x64xf32>
  plan.launch @strided(%x0, %w0) into(%y0) : (memref<1x29x29x64xf32>, memref<3x3x64x64xf32>) into (memref<1x14x14x64xf32>)
  %x1 = plan.storage input "x1" 1 : memref<1x18x16x64xf32>
  %y1 = plan.storage output "y1" 1 : memref<1x14x14x64xf32>
  %w1 = plan.use @oblong_w : memref<5x3x64x64xf32>
  plan.launch @oblong(%x1, %w1) into(%y1) : (memref<1x18x16x64xf32>, memref<5x3x64x64xf32>) into (memref<1x14x14x64xf32>)
  %x2 = plan.storage input "x2" 2 : memref<1x30x30x3xf32>
  %y2 = plan.storage output "y2" 2 : memref<1x28x28x64xf32>
  %w2 = plan.use @colours_w : memref<3x3x3x64xf32>
  plan.launch @colours(%x2, %w2) into(%y2) : (memref<1x30x30x3xf32>, memref<3x3x3x64xf32>) into (memref<1x28x28x64xf32>)
}

// -----

// A weight that another kernel reads with a stride lies as it would: each kernel is computed in its own way.

// CHECK:     plan.weight @shared_w = {{.*}}#plan.encoding<panel
// CHECK:     plan.kernel @even contraction
// CHECK-SAME: plan.winograd
// CHECK:     plan.kernel @uneven contraction
// CHECK-NOT: plan.winograd
plan.weight @shared_w = dense<1.0> : tensor<3x3x64x64xf32>
plan.kernel @even contraction (%x: tensor<1x30x30x64xf32>, %w: tensor<3x3x64x64xf32>) into (%y: tensor<1x28x28x64xf32>) cut 1 : 28 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x28x28x64xf32>
  plan.yield %c : tensor<1x28x28x64xf32>
}
plan.kernel @uneven contraction (%x: tensor<1x29x29x64xf32>, %w: tensor<3x3x64x64xf32>) into (%y: tensor<1x14x14x64xf32>) cut 1 : 14 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x29x29x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<1x14x14x64xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x14x14x64xf32>
  plan.yield %c : tensor<1x14x14x64xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x30x30x64xf32>
  %y0 = plan.storage output "y0" 0 : memref<1x28x28x64xf32>
  %x1 = plan.storage input "x1" 1 : memref<1x29x29x64xf32>
  %y1 = plan.storage output "y1" 1 : memref<1x14x14x64xf32>
  %w = plan.use @shared_w : memref<3x3x64x64xf32>
  plan.launch @even(%x0, %w) into(%y0) : (memref<1x30x30x64xf32>, memref<3x3x64x64xf32>) into (memref<1x28x28x64xf32>)
  plan.launch @uneven(%x1, %w) into(%y1) : (memref<1x29x29x64xf32>, memref<3x3x64x64xf32>) into (memref<1x14x14x64xf32>)
}

// -----

// Of bytes a tile of four is exact where no sum reaches 2^25. 576 weights of 127 times 255 do not: 18,653,760. Of 228 channels they would;
// then tiles of two are.

// CHECK:      plan.kernel @bytes contraction
// CHECK-SAME: cut 1 : 56 by 4
// CHECK-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}
plan.weight @bytes_w = dense<127> : tensor<3x3x64x64xi8>
plan.kernel @bytes contraction (%x: tensor<1x58x58x64xi8>, %w: tensor<3x3x64x64xi8>) into (%y: tensor<1x56x56x64xi32>) cut 1 : 56 by 1 {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%y : tensor<1x56x56x64xi32>) -> tensor<1x56x56x64xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x58x58x64xi8>, tensor<3x3x64x64xi8>) outs(%f : tensor<1x56x56x64xi32>) {
  ^bb0(%a: i8, %d: i8, %o: i32):
    %l = arith.extui %a : i8 to i32
    %r = arith.extsi %d : i8 to i32
    %m = arith.muli %l, %r : i32
    %s = arith.addi %o, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x56x56x64xi32>
  plan.yield %c : tensor<1x56x56x64xi32>
}
plan.entry @bytes_main {
  %x0 = plan.storage input "x0" 0 : memref<1x58x58x64xi8>
  %y0 = plan.storage output "y0" 0 : memref<1x56x56x64xi32>
  %w0 = plan.use @bytes_w : memref<3x3x64x64xi8>
  plan.launch @bytes(%x0, %w0) into(%y0) {plan.engine = "cpu"} : (memref<1x58x58x64xi8>, memref<3x3x64x64xi8>) into (memref<1x56x56x64xi32>)
}

// CHECK:      plan.kernel @deep contraction
// CHECK-SAME: cut 1 : 56 by 2
// CHECK-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 2 : i64}
plan.weight @deep_w = dense<127> : tensor<3x3x228x64xi8>
plan.kernel @deep contraction (%x: tensor<1x58x58x228xi8>, %w: tensor<3x3x228x64xi8>) into (%y: tensor<1x56x56x64xi32>) cut 1 : 56 by 1 {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%y : tensor<1x56x56x64xi32>) -> tensor<1x56x56x64xi32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x58x58x228xi8>, tensor<3x3x228x64xi8>) outs(%f : tensor<1x56x56x64xi32>) {
  ^bb0(%a: i8, %d: i8, %o: i32):
    %l = arith.extui %a : i8 to i32
    %r = arith.extsi %d : i8 to i32
    %m = arith.muli %l, %r : i32
    %s = arith.addi %o, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x56x56x64xi32>
  plan.yield %c : tensor<1x56x56x64xi32>
}
plan.entry @deep_main {
  %x0 = plan.storage input "x0" 0 : memref<1x58x58x228xi8>
  %y0 = plan.storage output "y0" 0 : memref<1x56x56x64xi32>
  %w0 = plan.use @deep_w : memref<3x3x228x64xi8>
  plan.launch @deep(%x0, %w0) into(%y0) {plan.engine = "cpu"} : (memref<1x58x58x228xi8>, memref<3x3x228x64xi8>) into (memref<1x56x56x64xi32>)
}

// -----

// CPUs without arithmetic of halves widen these to fp32. For others, transformed values are halves, if nacre-choose-half-steps
// does not find them too inexact. Shares begin at tiles of both.

// CHECK:        plan.kernel @half contraction
// CHECK-SAME:   cut 1 : 28 by 4
// SINGLES-NOT:  plan.half_sums
// SINGLES-SAME: plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}
// HALVES-SAME:  plan.half_sums = 64 : i64
// HALVES-SAME:  plan.winograd = {cycles = {{[0-9]+}} : i64, direct_cycles = {{[0-9]+}} : i64, tile = 4 : i64}
plan.weight @half_w = dense<1.0> : tensor<3x3x64x64xf16>
plan.kernel @half contraction (%x: tensor<1x30x30x64xf16>, %w: tensor<3x3x64x64xf16>) into (%y: tensor<1x28x28x64xf32>) cut 1 : 28 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x30x30x64xf16>, tensor<3x3x64x64xf16>) outs(%f : tensor<1x28x28x64xf32>) {
  ^bb0(%a: f16, %d: f16, %o: f32):
    %ae = arith.extf %a : f16 to f32
    %de = arith.extf %d : f16 to f32
    %m = arith.mulf %ae, %de : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x28x28x64xf32>
  plan.yield %c : tensor<1x28x28x64xf32>
}
plan.entry @main {
  %x0 = plan.storage input "x0" 0 : memref<1x30x30x64xf16>
  %y0 = plan.storage output "y0" 0 : memref<1x28x28x64xf32>
  %w0 = plan.use @half_w : memref<3x3x64x64xf16>
  plan.launch @half(%x0, %w0) into(%y0) : (memref<1x30x30x64xf16>, memref<3x3x64x64xf16>) into (memref<1x28x28x64xf32>)
}
