// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64" --split-input-file | FileCheck %s --check-prefix=NEON
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v4" --split-input-file | FileCheck %s --check-prefix=AVX512
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v4,x86-64-v3" --split-input-file | FileCheck %s --check-prefix=BOTH

// A weight is packed as wide as the target's register tile; kernel and weight agree.

// CHECK:      plan.weight @w = dense<1.000000e+00> {{.*}}#plan.encoding<panel, width = 16>
// CHECK:      plan.kernel @documented_example
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = 16>]
// NEON:       plan.weight @w = {{.*}}#plan.encoding<panel, width = 16>
plan.weight @w = dense<1.0> : tensor<512x512xf32>
plan.kernel @documented_example contraction (%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) into (%c: tensor<512x512xf32>) cut 0 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%init : tensor<512x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x512xf32>
  plan.yield %r : tensor<512x512xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<512x512xf32>
  %c = plan.storage output "c" 0 : memref<512x512xf32>
  %w = plan.use @w : memref<512x512xf32>
  plan.launch @documented_example(%a, %w) into(%c) : (memref<512x512xf32>, memref<512x512xf32>) into (memref<512x512xf32>)
}

// -----

// Two kernels read one weight: the one with more work decides, and a single row takes the same panels.

// CHECK:      plan.weight @shared = {{.*}}#plan.encoding<panel, width = 16>
// CHECK:      plan.kernel @many
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = 16>]
// CHECK:      plan.kernel @single
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = 16>]
// NEON:       plan.weight @shared
plan.weight @shared = dense<1.0> : tensor<64x256xf32>
plan.kernel @many contraction (%a: tensor<96x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<96x256xf32>) cut 0 : 96 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<96x256xf32>) -> tensor<96x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x64xf32>, tensor<64x256xf32>) outs(%init : tensor<96x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<96x256xf32>
  plan.yield %r : tensor<96x256xf32>
}
plan.kernel @single contraction (%a: tensor<1x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x256xf32>) -> tensor<1x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x64xf32>, tensor<64x256xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x256xf32>
  plan.yield %r : tensor<1x256xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<96x64xf32>
  %b = plan.storage input "b" 1 : memref<1x64xf32>
  %c = plan.storage output "c" 0 : memref<96x256xf32>
  %d = plan.storage output "d" 1 : memref<1x256xf32>
  %w = plan.use @shared : memref<64x256xf32>
  plan.launch @many(%a, %w) into(%c) : (memref<96x64xf32>, memref<64x256xf32>) into (memref<96x256xf32>)
  plan.launch @single(%b, %w) into(%d) : (memref<1x64xf32>, memref<64x256xf32>) into (memref<1x256xf32>)
}

// -----

// Alone, a single row reads wide panels, and a share of its columns begins with one.

// CHECK:      plan.weight @row = {{.*}}#plan.encoding<panel, width = 64>
// CHECK:      plan.kernel @vector
// CHECK-SAME: cut 1 : 256 by 64
// NEON:       plan.weight @row = {{.*}}#plan.encoding<panel, width = 32>

// With 32 registers of 16 floats it would take all 256 columns at once. Where the same bytes are read with 16 of 8 too, they
// must hold a row of accumulators, its one element and a panel's: 14 * 8 columns.

// A cut among columns falls where a panel begins.

// AVX512:     plan.weight @row = {{.*}}#plan.encoding<panel, width = 256>
// AVX512:     plan.kernel @vector {{.*}} cut 1 : 256 by 256
// BOTH:       plan.weight @row = {{.*}}#plan.encoding<panel, width = 112>
// BOTH:       plan.kernel @vector {{.*}} cut 1 : 256 by 112
plan.weight @row = dense<1.0> : tensor<64x256xf32>
plan.kernel @vector contraction (%a: tensor<1x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x256xf32>) -> tensor<1x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x64xf32>, tensor<64x256xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x256xf32>
  plan.yield %r : tensor<1x256xf32>
}
plan.entry @main {
  %b = plan.storage input "b" 0 : memref<1x64xf32>
  %d = plan.storage output "d" 0 : memref<1x256xf32>
  %w = plan.use @row : memref<64x256xf32>
  plan.launch @vector(%b, %w) into(%d) : (memref<1x64xf32>, memref<64x256xf32>) into (memref<1x256xf32>)
}

// -----

// A weight that is read in another way too stays plain: @rows reads it as the left operand.

// CHECK:      plan.weight @both = dense<1.000000e+00> : tensor<64x64xf32>{{$}}
// CHECK-NOT:  #plan.encoding
// NEON:       plan.weight @both
plan.weight @both = dense<1.0> : tensor<64x64xf32>
plan.kernel @rows contraction (%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) into (%c: tensor<64x64xf32>) cut 0 : 64 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  plan.yield %r : tensor<64x64xf32>
}
plan.entry @main {
  %d = plan.storage output "d" 0 : memref<64x64xf32>
  %w = plan.use @both : memref<64x64xf32>
  plan.launch @rows(%w, %w) into(%d) : (memref<64x64xf32>, memref<64x64xf32>) into (memref<64x64xf32>)
}

// -----

// An activation has nobody to pack it: the kernel does that itself.

// CHECK-NOT:  #plan.encoding
// NEON-NOT:   #plan.encoding
plan.kernel @attention contraction (%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) into (%c: tensor<64x64xf32>) cut 0 : 64 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  plan.yield %r : tensor<64x64xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<64x64xf32>
  %b = plan.storage input "b" 1 : memref<64x64xf32>
  %d = plan.storage output "d" 0 : memref<64x64xf32>
  plan.launch @attention(%a, %b) into(%d) : (memref<64x64xf32>, memref<64x64xf32>) into (memref<64x64xf32>)
}

// -----

// A product that is read in parts: a panel has the same columns of all parts, and a share begins with one.

// CHECK:       plan.weight @gates = {{.*}}#plan.encoding<panel, width = 16 parts = 4>
// CHECK:       plan.kernel @cell
// CHECK-SAME:  cut 1 : 64 by 16
// CHECK-SAME:  encodings = [unit, #plan.encoding<panel, width = 16 parts = 4>]
// AVX512:      plan.weight @gates = {{.*}}#plan.encoding<panel, width = 64 parts = 4>
// NEON:        plan.weight @gates = {{.*}}#plan.encoding<panel, width = 8 parts = 4>
plan.weight @gates = dense<1.0> : tensor<64x256xf32>
plan.kernel @cell contraction (%a: tensor<1x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<1x64xf32>) cut 1 : 64 by 1 {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x256xf32>) -> tensor<1x256xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x64xf32>, tensor<64x256xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x256xf32>
  %i = tensor.extract_slice %p[0, 0] [1, 64] [1, 1] : tensor<1x256xf32> to tensor<1x64xf32>
  %o = tensor.extract_slice %p[0, 192] [1, 64] [1, 1] : tensor<1x256xf32> to tensor<1x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%i, %o : tensor<1x64xf32>, tensor<1x64xf32>) outs(%c : tensor<1x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<1x64xf32>
  plan.yield %r : tensor<1x64xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<1x64xf32>
  %d = plan.storage output "d" 0 : memref<1x64xf32>
  %w = plan.use @gates : memref<64x256xf32>
  plan.launch @cell(%a, %w) into(%d) : (memref<1x64xf32>, memref<64x256xf32>) into (memref<1x64xf32>)
}

// -----

// A product that makes its left operand reads panels, too: the CPU computes it in halves.

// CHECK:      plan.weight @scaled_w = {{.*}}#plan.encoding<panel, width = 16>
// CHECK:      plan.kernel @scaled
// CHECK-SAME: encodings = [unit, unit, #plan.encoding<panel, width = 16>]
plan.weight @scaled_w = dense<1.0> : tensor<64x256xf32>
plan.kernel @scaled contraction (%a: tensor<96x64xf32>, %g: tensor<64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<96x256xf32>) cut 0 : 96 by 1 {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x64xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%a, %g : tensor<96x64xf32>, tensor<64xf32>) outs(%e : tensor<96x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<96x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<96x256xf32>) -> tensor<96x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%l, %b : tensor<96x64xf32>, tensor<64x256xf32>) outs(%init : tensor<96x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<96x256xf32>
  plan.yield %r : tensor<96x256xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<96x64xf32>
  %g = plan.storage input "g" 1 : memref<64xf32>
  %c = plan.storage output "c" 0 : memref<96x256xf32>
  %w = plan.use @scaled_w : memref<64x256xf32>
  plan.launch @scaled(%a, %g, %w) into(%c) : (memref<96x64xf32>, memref<64xf32>, memref<64x256xf32>) into (memref<96x256xf32>)
}

// -----

// Columns that engines may share are divided where a panel begins that the CPU packs for itself: it writes all of it. Alone, it has all columns.

// CHECK:        plan.kernel @shared_columns contraction
// CHECK-SAME:   cut 1 : 250 by 64 {
// CHECK:        plan.kernel @own_columns contraction
// CHECK-SAME:   cut 1 : 250 by 1 {
// AVX512:       plan.kernel @shared_columns contraction
// AVX512-SAME:  cut 1 : 250 by 256 {
// NEON:         plan.kernel @shared_columns contraction
// NEON-SAME:    cut 1 : 250 by 32 {
plan.kernel @shared_columns contraction (%a: tensor<1x64xf32>, %b: tensor<64x250xf32>) into (%c: tensor<1x250xf32>) cut 1 : 250 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x250xf32>) -> tensor<1x250xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x64xf32>, tensor<64x250xf32>) outs(%init : tensor<1x250xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x250xf32>
  plan.yield %r : tensor<1x250xf32>
}
plan.kernel @own_columns contraction (%a: tensor<1x64xf32>, %b: tensor<64x250xf32>) into (%c: tensor<1x250xf32>) cut 1 : 250 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1x250xf32>) -> tensor<1x250xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x64xf32>, tensor<64x250xf32>) outs(%init : tensor<1x250xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x250xf32>
  plan.yield %r : tensor<1x250xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<1x64xf32>
  %b = plan.storage input "b" 1 : memref<64x250xf32>
  %c = plan.storage output "c" 0 : memref<1x250xf32>
  %d = plan.storage output "d" 1 : memref<1x250xf32>
  plan.launch @shared_columns(%a, %b) into(%c) : (memref<1x64xf32>, memref<64x250xf32>) into (memref<1x250xf32>)
  plan.launch @own_columns(%a, %b) into(%d) {plan.engine = "cpu"} : (memref<1x64xf32>, memref<64x250xf32>) into (memref<1x250xf32>)
}
