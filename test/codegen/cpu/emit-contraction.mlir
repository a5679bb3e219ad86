// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --canonicalize --split-input-file | FileCheck %s

// A kernel becomes a function of flat storages, scratch, the share and a range of units, and says how it is divided: here
// blocks of all 7 rows, each of two parts, one panel each. The second has 5 columns: a vector of 4, and one.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %{{[^ :]+}}: memref<63xf32> {llvm.noalias}, %{{[^ :]+}}: memref<288xf32> {llvm.noalias}
// CHECK-SAME:    %{{[^ :]+}}: memref<147xf32> {llvm.noalias}, %{{[^ :]+}}: memref<0xi8> {llvm.noalias}
// CHECK-SAME:    %{{[^ :]+}}: index, %{{[^ :]+}}: index, %[[BEGIN:[^ :]+]]: index, %[[END:[^ :]+]]: index)
// CHECK-SAME:    nacre.kernel
// CHECK-SAME:    nacre.unit_extent = 7 : i64, {{.*}}nacre.units_per_block = 2 : i64
// CHECK:         scf.for %{{[^ :]+}} = %[[BEGIN]] to %[[END]]
// CHECK:           vector.fma {{.*}} : vector<8xf32>
// CHECK:           vector.store {{.*}} vector<4xf32>
// CHECK:           vector.store {{.*}} vector<1xf32>
plan.kernel @matmul contraction (%a: tensor<7x9xf32>, %b: tensor<9x21xf32>) into (%c: tensor<7x21xf32>) cut 0 : 7 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<7x21xf32>) -> tensor<7x21xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x9xf32>, tensor<9x21xf32>) outs(%init : tensor<7x21xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x21xf32>
  plan.yield %r : tensor<7x21xf32>
}

// -----

// A convolution's (kw, ic) is one loop of 3 * 4 steps inside the loop over kh.

// CHECK-LABEL: func.func @convolution(
// CHECK-DAG:     %[[TWELVE:[^ :]+]] = arith.constant 12 : index
// CHECK-DAG:     %[[THREE:[^ :]+]] = arith.constant 3 : index
// CHECK:         scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[THREE]]
// CHECK:           scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[TWELVE]]
plan.kernel @convolution contraction (%x: tensor<1x7x7x4xf32>, %w: tensor<3x3x4x16xf32>, %b: tensor<16xf32>) into (%s: tensor<1x5x5x16xf32>) cut 1 : 5 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>, unit]} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x5x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x5x16xf32>) -> tensor<1x5x5x16xf32>
  %acc = linalg.generic {indexing_maps = [affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh + kh, ow + kw, ic)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (kh, kw, ic, oc)>, affine_map<(n, oh, ow, oc, kh, kw, ic) -> (n, oh, ow, oc)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x7x7x4xf32>, tensor<3x3x4x16xf32>) outs(%init : tensor<1x5x5x16xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %d, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x5x5x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%acc, %b : tensor<1x5x5x16xf32>, tensor<16xf32>) outs(%s : tensor<1x5x5x16xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.addf %a, %c : f32
    %r = arith.maximumf %m, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x5x5x16xf32>
  plan.yield %o : tensor<1x5x5x16xf32>
}

// -----

// An operand that nobody packed is packed by each unit into scratch: 9 steps of 24 columns of 32.

// CHECK-LABEL: func.func @unpacked(
// CHECK-SAME:    memref<864xi8> {llvm.noalias}
// CHECK:         %[[PANEL:[^ :]+]] = memref.view {{.*}} to memref<216xf32>
// CHECK:         vector.store {{.*}}, %[[PANEL]]
// CHECK:         vector.load %[[PANEL]]
plan.kernel @unpacked contraction (%a: tensor<7x9xf32>, %b: tensor<9x32xf32>) into (%c: tensor<7x32xf32>) cut 0 : 7 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<7x32xf32>) -> tensor<7x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x9xf32>, tensor<9x32xf32>) outs(%init : tensor<7x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<7x32xf32>
  plan.yield %r : tensor<7x32xf32>
}

// -----

// Columns that lie as packed ones would are read where they are, and the rows are divided into blocks for threads.

// CHECK-LABEL: func.func @lies_as_packed(
// CHECK-SAME:    %{{[^ :]+}}: memref<1440xf32> {llvm.noalias}, %[[COLUMNS:[^ :]+]]: memref<72xf32> {llvm.noalias}
// CHECK-SAME:    memref<0xi8> {llvm.noalias}
// CHECK-SAME:    nacre.unit_extent = 84 : i64
// CHECK:         vector.load %[[COLUMNS]]
plan.kernel @lies_as_packed contraction (%a: tensor<160x9xf32>, %b: tensor<9x8xf32>) into (%c: tensor<160x8xf32>) cut 0 : 160 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<160x8xf32>) -> tensor<160x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<160x9xf32>, tensor<9x8xf32>) outs(%init : tensor<160x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<160x8xf32>
  plan.yield %r : tensor<160x8xf32>
}

// -----

// Channels that each have a filter of their own: no scratch, no packing, nine taps.

// CHECK-LABEL: func.func @depthwise(
// CHECK-COUNT-9: vector.load {{.*}} : memref<72xf32>, vector<8xf32>
// CHECK:         vector.fma
plan.kernel @depthwise contraction (%x: tensor<1x6x6x8xf32>, %w: tensor<3x3x8xf32>, %b: tensor<8xf32>) into (%s: tensor<1x4x4x8xf32>) cut 1 : 4 by 1 {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %acc = linalg.generic {indexing_maps = [affine_map<(n, oh, ow, c, kh, kw) -> (n, oh + kh, ow + kw, c)>, affine_map<(n, oh, ow, c, kh, kw) -> (kh, kw, c)>, affine_map<(n, oh, ow, c, kh, kw) -> (n, oh, ow, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x6x6x8xf32>, tensor<3x3x8xf32>) outs(%init : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %d, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x8xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%acc, %b : tensor<1x4x4x8xf32>, tensor<8xf32>) outs(%s : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %m = arith.addf %a, %c : f32
    %r = arith.maximumf %m, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x8xf32>
  plan.yield %o : tensor<1x4x4x8xf32>
}

// -----

// A panel deeper than the first cache is walked in parts of 256 steps, whose sums wait in scratch: two in a loop, then the one
// that finishes the tiles.

// CHECK-LABEL: func.func @deep(
// CHECK-SAME:    %[[C:[^ :]+]]: memref<480xf32>
// CHECK-DAG:     %[[PART:[^ :]+]] = arith.constant 256 : index
// CHECK-DAG:     %[[TWO:[^ :]+]] = arith.constant 2 : index
// CHECK:         %[[SUMS:[^ :]+]] = memref.view {{.*}} to memref<480xf32>
// CHECK:         vector.store {{.*}}, %[[SUMS]]
// CHECK:         scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[TWO]]
// CHECK:           vector.load %[[SUMS]]
// CHECK:           scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[PART]]
// CHECK:           vector.store {{.*}}, %[[SUMS]]
// CHECK:         vector.load %[[SUMS]]
// CHECK:         scf.for %{{[^ :]+}} = %{{[^ :]+}} to %[[PART]]
// CHECK:         vector.store {{.*}}, %[[C]]
plan.kernel @deep contraction (%a: tensor<30x768xf32>, %b: tensor<768x16xf32>) into (%c: tensor<30x16xf32>) cut 0 : 30 by 1 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<30x16xf32>) -> tensor<30x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<30x768xf32>, tensor<768x16xf32>) outs(%init : tensor<30x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<30x16xf32>
  plan.yield %r : tensor<30x16xf32>
}

// -----

// A unit of one row takes as long as its panel's bytes do: 512 * 64 of them, by the type of its elements, at 12 a nanosecond.

// CHECK-LABEL: func.func @singles(
// CHECK-SAME:    nacre.unit_nanoseconds = 8738 : i64
plan.kernel @singles contraction (%a: tensor<1x512xf32>, %b: tensor<512x128xf32>) into (%c: tensor<1x128xf32>) cut 1 : 128 by 64 attributes {encodings = [unit, #plan.encoding<panel, width = 64>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x128xf32>) -> tensor<1x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xf32>, tensor<512x128xf32>) outs(%init : tensor<1x128xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x128xf32>
  plan.yield %r : tensor<1x128xf32>
}
// CHECK-LABEL: func.func @halves(
// CHECK-SAME:    nacre.unit_nanoseconds = 4369 : i64
plan.kernel @halves contraction (%a: tensor<1x512xf16>, %b: tensor<512x128xf16>) into (%c: tensor<1x128xf32>) cut 1 : 128 by 64 attributes {encodings = [unit, #plan.encoding<panel, width = 64>]} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x128xf32>) -> tensor<1x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xf16>, tensor<512x128xf16>) outs(%init : tensor<1x128xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %xe = arith.extf %x : f16 to f32
    %ye = arith.extf %y : f16 to f32
    %m = arith.mulf %xe, %ye : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x128xf32>
  plan.yield %r : tensor<1x128xf32>
}
// CHECK-LABEL: func.func @doubles(
// CHECK-SAME:    nacre.unit_nanoseconds = 17476 : i64
plan.kernel @doubles contraction (%a: tensor<1x512xf64>, %b: tensor<512x128xf64>) into (%c: tensor<1x128xf64>) cut 1 : 128 by 64 attributes {encodings = [unit, #plan.encoding<panel, width = 64>]} {
  %zero = arith.constant 0.0 : f64
  %init = linalg.fill ins(%zero : f64) outs(%c : tensor<1x128xf64>) -> tensor<1x128xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xf64>, tensor<512x128xf64>) outs(%init : tensor<1x128xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %m = arith.mulf %x, %y : f64
    %s = arith.addf %z, %m : f64
    linalg.yield %s : f64
  } -> tensor<1x128xf64>
  plan.yield %r : tensor<1x128xf64>
}
