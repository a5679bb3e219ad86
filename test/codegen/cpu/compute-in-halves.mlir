// RUN: nacre-opt %s --nacre-compute-in-halves="target=linux-arm64 cpu=cortex-a76" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-compute-in-halves="target=linux-arm64 cpu=cortex-a72" --split-input-file | FileCheck %s --check-prefix=OTHERS
// RUN: nacre-opt %s --nacre-compute-in-halves="target=linux-x86_64" --split-input-file | FileCheck %s --check-prefix=OTHERS
// RUN: nacre-opt %s --nacre-compute-in-halves="target=linux-arm64 cpu=cortex-a76" --nacre-emit-cpu="target=linux-arm64 cpu=cortex-a76" --split-input-file | FileCheck %s --check-prefix=EMITTED

// A Cortex-A76 computes in f16. Others widen, so their kernels stay as they are.

// OTHERS-LABEL: plan.kernel @documented_example
// OTHERS:         arith.maximumf {{.*}} : f32
// OTHERS-LABEL: plan.kernel @bounded_sum
// OTHERS:         arith.addf {{.*}} : f32
// OTHERS-LABEL: plan.kernel @selected
// OTHERS:         arith.cmpf {{.*}} : f32

// The maximum of f16 values is one of them, so the accumulators of a pool are f16. The operand that only gives the window its
// size is f16, too, because its type would count.

// CHECK-LABEL: plan.kernel @documented_example
// CHECK-NOT:     f32
// CHECK:         %[[LOWEST:[^ ]+]] = arith.constant 0xFC00 : f16
// CHECK:         linalg.fill ins(%[[LOWEST]] : f16)
// CHECK:       ^bb0(%[[X:[^ :]+]]: f16, %{{[^ :]+}}: f16, %[[MAX:[^ :]+]]: f16):
// CHECK-NEXT:    %[[M:[^ ]+]] = arith.maximumf %[[MAX]], %[[X]] : f16
// CHECK-NEXT:    linalg.yield %[[M]] : f16
// CHECK:       ^bb0(%[[V:[^ :]+]]: f16, %{{[^ :]+}}: f16):
// CHECK-NEXT:    linalg.yield %[[V]] : f16

// EMITTED-LABEL: func.func @documented_example
// EMITTED:         arith.maximumf {{.*}} : vector<8xf16>
// EMITTED-NOT:     arith.extf
// EMITTED:         vector.store {{.*}} vector<8xf16>
#cells = affine_map<(h, c, i) -> (h * 2 + i, c)>
#window = affine_map<(h, c, i) -> (i)>
#places = affine_map<(h, c, i) -> (h, c)>
#all = affine_map<(h, c) -> (h, c)>
plan.kernel @documented_example nest (%x: tensor<9x16xf16>) into (%y: tensor<4x16xf16>) cut 0 : 4 by 1 {
  %size = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.generic {indexing_maps = [#cells, #window, #places], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %size : tensor<9x16xf16>, tensor<3xf32>) outs(%f : tensor<4x16xf32>) {
  ^bb0(%a: f16, %unread: f32, %o: f32):
    %v = arith.extf %a : f16 to f32
    %w = arith.maximumf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<4x16xf32>) outs(%y : tensor<4x16xf16>) {
  ^bb0(%a: f32, %o: f16):
    %n = arith.truncf %a : f32 to f16
    linalg.yield %n : f16
  } -> tensor<4x16xf16>
  plan.yield %r : tensor<4x16xf16>
}

// -----

// One sum is rounded like its f32 sum. Bounds may be rounded before: 0.1 becomes the f16 number next to it. Two sums in a row
// would be rounded twice, so @sum_of_sums stays f32. So does a product with 0.1, which is no number of f16.

// CHECK-LABEL: plan.kernel @bounded_sum
// CHECK:       ^bb0(%[[A:[^ :]+]]: f16, %[[B:[^ :]+]]: f16, %{{[^ :]+}}: f16):
// CHECK:         %[[BOUND:[^ ]+]] = arith.constant 9.997550e-02 : f16
// CHECK:         %[[S:[^ ]+]] = arith.addf %[[A]], %[[B]] : f16
// CHECK:         %[[M:[^ ]+]] = arith.maximumf %[[S]], %[[BOUND]] : f16
// CHECK-NEXT:    linalg.yield %[[M]] : f16

// CHECK-LABEL: plan.kernel @sum_of_sums
// CHECK-COUNT-2: arith.addf {{.*}} : f32

// CHECK-LABEL: plan.kernel @inexact_factor
// CHECK:         arith.mulf {{.*}} : f32

// CHECK-LABEL: plan.kernel @exact_factor
// CHECK:         arith.mulf {{.*}} : f16

// A value that is rounded between two operations is exact again.
// CHECK-LABEL: plan.kernel @rounded_sum
// CHECK-COUNT-2: arith.addf {{.*}} : f16

// The exponential stays f32, and with it the maximum: the lanes of a kernel are those of its widest value.
// CHECK-LABEL: plan.kernel @function
// CHECK:         arith.maximumf {{.*}} : f32
#id = affine_map<(d0) -> (d0)>
plan.kernel @bounded_sum nest (%x: tensor<64xf16>, %y: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<64xf16>, tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %bound = arith.constant 0.1 : f32
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %s = arith.addf %u, %v : f32
    %m = arith.maximumf %s, %bound : f32
    %n = arith.truncf %m : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

plan.kernel @sum_of_sums nest (%x: tensor<64xf16>, %y: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<64xf16>, tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %s = arith.addf %u, %v : f32
    %t = arith.addf %s, %v : f32
    %n = arith.truncf %t : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

plan.kernel @inexact_factor nest (%x: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %factor = arith.constant 0.1 : f32
    %u = arith.extf %a : f16 to f32
    %s = arith.mulf %u, %factor : f32
    %n = arith.truncf %s : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

plan.kernel @exact_factor nest (%x: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %factor = arith.constant 0.125 : f32
    %u = arith.extf %a : f16 to f32
    %s = arith.mulf %u, %factor : f32
    %n = arith.truncf %s : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

plan.kernel @rounded_sum nest (%x: tensor<64xf16>, %y: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<64xf16>, tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %s = arith.addf %u, %v : f32
    %h = arith.truncf %s : f32 to f16
    %w = arith.extf %h : f16 to f32
    %t = arith.addf %w, %v : f32
    %n = arith.truncf %t : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

plan.kernel @function nest (%x: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %zero = arith.constant 0.0 : f32
    %u = arith.extf %a : f16 to f32
    %e = math.exp %u : f32
    %m = arith.maximumf %u, %zero : f32
    %s = arith.addf %e, %m : f32
    %n = arith.truncf %s : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

// -----

// Comparisons of f16 values, and what they select, are the same in f16.

// CHECK-LABEL: plan.kernel @selected
// CHECK-NOT:     f32
// CHECK:         %[[IS:[^ ]+]] = arith.cmpf ogt, %{{[^ ]+}}, %{{[^ ]+}} : f16
// CHECK:         %[[NEGATIVE:[^ ]+]] = arith.negf %{{[^ ]+}} : f16
// CHECK:         arith.select %[[IS]], %{{[^ ]+}}, %[[NEGATIVE]] : f16
#id = affine_map<(d0) -> (d0)>
plan.kernel @selected nest (%x: tensor<64xf16>) into (%z: tensor<64xf16>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%z : tensor<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %two = arith.constant 2.0 : f32
    %u = arith.extf %a : f16 to f32
    %is = arith.cmpf ogt, %u, %two : f32
    %m = arith.negf %u : f32
    %s = arith.select %is, %u, %m : f32
    %n = arith.truncf %s : f32 to f16
    linalg.yield %n : f16
  } -> tensor<64xf16>
  plan.yield %r : tensor<64xf16>
}

// -----

// Sums of several terms stay f32, and so does everything around them. Their vectors have 8 lanes, so that a load of f16 fills
// a register.

// CHECK-LABEL: plan.kernel @sums
// CHECK:         arith.addf {{.*}} : f32

// EMITTED-LABEL: func.func @sums
// EMITTED:         vector.load {{.*}} vector<8xf16>
// EMITTED:         arith.addf {{.*}} : vector<8xf32>
#all = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0) -> (d0)>
plan.kernel @sums nest (%x: tensor<9x16xf16>) into (%y: tensor<16xf16>) cut 0 : 16 by 1 {
  %e = tensor.empty() : tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<9x16xf16>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f16, %o: f32):
    %v = arith.extf %a : f16 to f32
    %w = arith.addf %o, %v : f32
    linalg.yield %w : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<16xf32>) outs(%y : tensor<16xf16>) {
  ^bb0(%a: f32, %o: f16):
    %n = arith.truncf %a : f32 to f16
    linalg.yield %n : f16
  } -> tensor<16xf16>
  plan.yield %r : tensor<16xf16>
}

// -----

// A result that leaves the kernel as f32 keeps its type.

// CHECK-LABEL: plan.kernel @single_result
// CHECK:         arith.maximumf {{.*}} : f32
#id = affine_map<(d0) -> (d0)>
plan.kernel @single_result nest (%x: tensor<64xf16>) into (%z: tensor<64xf32>) cut 0 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf16>) outs(%z : tensor<64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %zero = arith.constant 0.0 : f32
    %u = arith.extf %a : f16 to f32
    %m = arith.maximumf %u, %zero : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  plan.yield %r : tensor<64xf32>
}

// -----

// A conversion to f16 and channels of pixels: 8 pixels of three channels in one instruction.

// EMITTED-LABEL: func.func @pixels
// EMITTED-COUNT-3: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
// EMITTED:         "llvm.aarch64.neon.st3
plan.kernel @pixels permute (%x: tensor<1x3x8x32xf32>) into (%y: tensor<1x8x32x3xf16>) cut 1 : 8 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(n, a, b, c) -> (n, c, a, b)>, affine_map<(n, a, b, c) -> (n, a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x3x8x32xf32>) outs(%y : tensor<1x8x32x3xf16>) {
  ^bb0(%v: f32, %o: f16):
    %n = arith.truncf %v : f32 to f16
    linalg.yield %n : f16
  } -> tensor<1x8x32x3xf16>
  plan.yield %r : tensor<1x8x32x3xf16>
}
