// RUN: nacre-opt %s --nacre-assign-engine --nacre-pack-operands="target=linux-x86_64" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-pack-operands="target=linux-arm64" --split-input-file | FileCheck %s --check-prefix=NEON

// A right operand that is an input is put into panels by a launch of its own.

// CHECK:      plan.kernel @pack permute (%[[X:[^ ,:()]+]]: tensor<1024x1030xf32>) into (%[[Y:[^ ,:()]+]]: tensor<1024x1030xf32>)
// CHECK-SAME: cut 1 : 1030 by 16 attributes {encodings = [unit, #plan.encoding<panel, width = 16>]}
// CHECK:        linalg.generic {{.*}} ins(%[[X]] {{.*}} outs(%[[Y]]
// CHECK:      plan.kernel @documented_example contraction (%{{.*}}: tensor<1024x1024xf32>, %{{.*}}: tensor<1024x1030xf32>)
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = 16>]
// CHECK:      plan.entry @main
// CHECK:        %[[PANELS:[^ ,:()]+]] = plan.storage temporary : memref<65x1024x16xf32>
// CHECK:        %[[VIEW:[^ ,:()]+]] = plan.view %[[PANELS]] : memref<65x1024x16xf32> to memref<1024x1030xf32>
// CHECK:        %[[A:[^ ,:()]+]] = plan.storage input "a"
// CHECK:        %[[B:[^ ,:()]+]] = plan.storage input "b"
// CHECK:        plan.launch @pack(%[[B]]) into(%[[VIEW]])
// CHECK:        plan.launch @documented_example(%[[A]], %[[VIEW]])
// NEON:       plan.launch @pack
plan.kernel @documented_example contraction (%a: tensor<1024x1024xf32>, %b: tensor<1024x1030xf32>) into (%c: tensor<1024x1030xf32>) cut 0 : 1024 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<1024x1030xf32>) -> tensor<1024x1030xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1030xf32>) outs(%init : tensor<1024x1030xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<1024x1030xf32>
  plan.yield %r : tensor<1024x1030xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<1024x1024xf32>
  %b = plan.storage input "b" 1 : memref<1024x1030xf32>
  %c = plan.storage output "c" 0 : memref<1024x1030xf32>
  plan.launch @documented_example(%a, %b) into(%c) : (memref<1024x1024xf32>, memref<1024x1030xf32>) into (memref<1024x1030xf32>)
}

// -----

// A weight is packed when the model is compiled, a small product's operand by its units.

// CHECK-NOT: plan.kernel @pack
plan.weight @w = dense<1.0> : tensor<96x64xf32>
plan.kernel @small contraction (%a: tensor<96x96xf32>, %b: tensor<96x64xf32>) into (%c: tensor<96x64xf32>) cut 0 : 96 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<96x64xf32>) -> tensor<96x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x96xf32>, tensor<96x64xf32>) outs(%init : tensor<96x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<96x64xf32>
  plan.yield %r : tensor<96x64xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<96x96xf32>
  %b = plan.storage input "b" 1 : memref<96x64xf32>
  %c = plan.storage output "c" 0 : memref<96x64xf32>
  %d = plan.storage output "d" 1 : memref<96x64xf32>
  %w = plan.use @w : memref<96x64xf32>
  plan.launch @small(%a, %b) into(%c) : (memref<96x96xf32>, memref<96x64xf32>) into (memref<96x64xf32>)
  plan.launch @small(%a, %w) into(%d) : (memref<96x96xf32>, memref<96x64xf32>) into (memref<96x64xf32>)
}

// -----

// What transposes a filter and takes its taps in reverse, the packing does; the convolution goes by Winograd.

// CHECK:      #[[TURNED:[^ ,:()]+]] = affine_map<(d0, d1, d2, d3) -> (-d0 + 2, -d1 + 2, d3, d2)>
// CHECK:      plan.kernel @pack permute (%{{.*}}: tensor<3x3x32x64xf32>) into (%{{.*}}: tensor<3x3x64x32xf32>)
// CHECK:        linalg.generic {indexing_maps = [#[[TURNED]], #{{.*}}]
// CHECK-NOT:  plan.kernel @turn
// CHECK-NOT:  plan.kernel @reverse
// CHECK:      plan.kernel @conv{{.*}} contraction
// CHECK-SAME: plan.winograd
// CHECK:      %[[W:[^ ,:()]+]] = plan.storage state "w" 0
// CHECK:      plan.launch @pack(%[[W]])
// CHECK-NOT:  plan.launch @turn
// CHECK:      plan.launch @conv
plan.kernel @turn permute (%x: tensor<3x3x32x64xf32>) into (%y: tensor<3x3x64x32xf32>) cut 2 : 64 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, d, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<3x3x32x64xf32>) outs(%y : tensor<3x3x64x32xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x3x64x32xf32>
  plan.yield %r : tensor<3x3x64x32xf32>
}
plan.kernel @reverse nest (%x: tensor<3x3x64x32xf32>) into (%y: tensor<3x3x64x32xf32>) cut 0 : 3 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (-a + 2, -b + 2, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<3x3x64x32xf32>) outs(%y : tensor<3x3x64x32xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x3x64x32xf32>
  plan.yield %r : tensor<3x3x64x32xf32>
}
plan.kernel @conv contraction (%x: tensor<8x34x34x64xf32>, %w: tensor<3x3x64x32xf32>) into (%y: tensor<8x32x32x32xf32>) cut 0 : 8 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%y : tensor<8x32x32x32xf32>) -> tensor<8x32x32x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<8x34x34x64xf32>, tensor<3x3x64x32xf32>) outs(%init : tensor<8x32x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<8x32x32x32xf32>
  plan.yield %r : tensor<8x32x32x32xf32>
}
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<8x34x34x64xf32>
  %w = plan.storage state "w" 0 : memref<3x3x32x64xf32>
  %y = plan.storage output "y" 0 : memref<8x32x32x32xf32>
  %t = plan.storage temporary : memref<3x3x64x32xf32>
  %u = plan.storage temporary : memref<3x3x64x32xf32>
  plan.launch @turn(%w) into(%t) : (memref<3x3x32x64xf32>) into (memref<3x3x64x32xf32>)
  plan.launch @reverse(%t) into(%u) : (memref<3x3x64x32xf32>) into (memref<3x3x64x32xf32>)
  plan.launch @conv(%x, %u) into(%y) : (memref<8x34x34x64xf32>, memref<3x3x64x32xf32>) into (memref<8x32x32x32xf32>)
}

// -----

// What no iteration of a loop writes is packed before the loop, once for both that read it, though for one launch it would not pay.

// CHECK:      plan.entry @main
// CHECK:        plan.launch @pack(
// CHECK-NEXT:   plan.for 100 {
// CHECK-NOT:      plan.launch @pack
// CHECK:          plan.launch @step{{.*}}, %[[PANELS:[^ ,:()]+]]) into
// CHECK:          plan.launch @step{{.*}}, %[[PANELS]]) into
plan.kernel @step contraction (%a: tensor<16x128xf32>, %b: tensor<512x128xf32>) into (%c: tensor<16x512xf32>) cut 1 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<16x512xf32>) -> tensor<16x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x128xf32>, tensor<512x128xf32>) outs(%init : tensor<16x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x512xf32>
  plan.yield %r : tensor<16x512xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<100x16x128xf32>
  %w = plan.storage state "w" 0 : memref<512x128xf32>
  %c = plan.storage output "c" 0 : memref<100x16x512xf32>
  %d = plan.storage output "d" 1 : memref<100x16x512xf32>
  plan.for 100 {
  ^bb0(%t: index):
    %x = plan.view %a[%t] {step = 2048 : i64} : memref<100x16x128xf32> to memref<16x128xf32>
    %y = plan.view %c[%t] {step = 8192 : i64} : memref<100x16x512xf32> to memref<16x512xf32>
    %z = plan.view %d[%t] {step = 8192 : i64} : memref<100x16x512xf32> to memref<16x512xf32>
    plan.launch @step(%x, %w) into(%y) : (memref<16x128xf32>, memref<512x128xf32>) into (memref<16x512xf32>)
    plan.launch @step(%x, %w) into(%z) : (memref<16x128xf32>, memref<512x128xf32>) into (memref<16x512xf32>)
  }
}

// -----

// What an iteration writes is packed in that iteration, behind what writes it; here that does not pay.

// CHECK-NOT:  plan.launch @pack
plan.kernel @next nest (%x: tensor<512x128xf32>) into (%y: tensor<512x128xf32>) cut 0 : 512 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<512x128xf32>) outs(%y : tensor<512x128xf32>) {
  ^bb0(%v: f32, %o: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  } -> tensor<512x128xf32>
  plan.yield %r : tensor<512x128xf32>
}
plan.kernel @step contraction (%a: tensor<16x128xf32>, %b: tensor<512x128xf32>) into (%c: tensor<16x512xf32>) cut 1 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<16x512xf32>) -> tensor<16x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x128xf32>, tensor<512x128xf32>) outs(%init : tensor<16x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<16x512xf32>
  plan.yield %r : tensor<16x512xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<16x128xf32>
  %v = plan.storage input "v" 1 : memref<512x128xf32>
  %w = plan.storage temporary : memref<512x128xf32>
  %c = plan.storage output "c" 0 : memref<16x512xf32>
  plan.for 100 {
  ^bb0(%t: index):
    plan.launch @next(%v) into(%w) : (memref<512x128xf32>) into (memref<512x128xf32>)
    plan.launch @step(%a, %w) into(%c) : (memref<16x128xf32>, memref<512x128xf32>) into (memref<16x512xf32>)
  }
}
