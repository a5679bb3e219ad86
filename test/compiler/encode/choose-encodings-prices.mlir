// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v3" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-choose-encodings="target=linux-x86_64 cpu=cascadelake" --split-input-file | FileCheck %s --check-prefix=BYTES
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 cpu=cascadelake" --split-input-file | FileCheck %s --check-prefix=GPU

// One row runs 5,000 times in an entry, and 128 rows once in another. The cache holds the weight, so that the row is faster in
// wide panels. The sum over all launches decides, although a launch of 128 rows has more work.

// CHECK:      plan.weight @often = {{.*}}#plan.encoding<panel, width = 64>
// CHECK:      plan.kernel @prefill
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = 64>]
// CHECK:      plan.kernel @decode
// CHECK-SAME: encodings = [unit, #plan.encoding<panel, width = 64>]
plan.weight @often = dense<1.0> : tensor<64x256xf32>
plan.kernel @prefill contraction (%a: tensor<128x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<128x256xf32>) cut 0 : 128 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<128x256xf32>) -> tensor<128x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x64xf32>, tensor<64x256xf32>) outs(%init : tensor<128x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<128x256xf32>
  plan.yield %r : tensor<128x256xf32>
}
plan.kernel @decode contraction (%a: tensor<1x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 1 {
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
  %a = plan.storage input "a" 0 : memref<128x64xf32>
  %c = plan.storage output "c" 0 : memref<128x256xf32>
  %w = plan.use @often : memref<64x256xf32>
  plan.launch @prefill(%a, %w) into(%c) : (memref<128x64xf32>, memref<64x256xf32>) into (memref<128x256xf32>)
}
plan.entry @steps {
  %b = plan.storage input "b" 0 : memref<1x64xf32>
  %d = plan.storage output "d" 0 : memref<1x256xf32>
  %w = plan.use @often : memref<64x256xf32>
  plan.for 5000 {
  ^bb0(%t: index):
    plan.launch @decode(%b, %w) into(%d) : (memref<1x64xf32>, memref<64x256xf32>) into (memref<1x256xf32>)
  }
}

// -----

// With a hundred steps, 128 rows decide, unless an app runs the entry of the steps more often.

// CHECK:      plan.weight @seldom = {{.*}}#plan.encoding<panel, width = 16>
plan.weight @seldom = dense<1.0> : tensor<64x256xf32>
plan.kernel @prefill contraction (%a: tensor<128x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<128x256xf32>) cut 0 : 128 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<128x256xf32>) -> tensor<128x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x64xf32>, tensor<64x256xf32>) outs(%init : tensor<128x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<128x256xf32>
  plan.yield %r : tensor<128x256xf32>
}
plan.kernel @decode contraction (%a: tensor<1x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 1 {
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
  %a = plan.storage input "a" 0 : memref<128x64xf32>
  %c = plan.storage output "c" 0 : memref<128x256xf32>
  %w = plan.use @seldom : memref<64x256xf32>
  plan.launch @prefill(%a, %w) into(%c) : (memref<128x64xf32>, memref<64x256xf32>) into (memref<128x256xf32>)
}
plan.entry @steps {
  %b = plan.storage input "b" 0 : memref<1x64xf32>
  %d = plan.storage output "d" 0 : memref<1x256xf32>
  %w = plan.use @seldom : memref<64x256xf32>
  plan.for 100 {
  ^bb0(%t: index):
    plan.launch @decode(%b, %w) into(%d) : (memref<1x64xf32>, memref<64x256xf32>) into (memref<1x256xf32>)
  }
}

// -----

// CHECK:      plan.weight @weighted = {{.*}}#plan.encoding<panel, width = 64>
plan.weight @weighted = dense<1.0> : tensor<64x256xf32>
plan.kernel @prefill contraction (%a: tensor<128x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<128x256xf32>) cut 0 : 128 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<128x256xf32>) -> tensor<128x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x64xf32>, tensor<64x256xf32>) outs(%init : tensor<128x256xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<128x256xf32>
  plan.yield %r : tensor<128x256xf32>
}
plan.kernel @decode contraction (%a: tensor<1x64xf32>, %b: tensor<64x256xf32>) into (%c: tensor<1x256xf32>) cut 1 : 256 by 1 {
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
  %a = plan.storage input "a" 0 : memref<128x64xf32>
  %c = plan.storage output "c" 0 : memref<128x256xf32>
  %w = plan.use @weighted : memref<64x256xf32>
  plan.launch @prefill(%a, %w) into(%c) : (memref<128x64xf32>, memref<64x256xf32>) into (memref<128x256xf32>)
}
plan.entry @steps attributes {plan.entry_weight = 50.0} {
  %b = plan.storage input "b" 0 : memref<1x64xf32>
  %d = plan.storage output "d" 0 : memref<1x256xf32>
  %w = plan.use @weighted : memref<64x256xf32>
  plan.for 100 {
  ^bb0(%t: index):
    plan.launch @decode(%b, %w) into(%d) : (memref<1x64xf32>, memref<64x256xf32>) into (memref<1x256xf32>)
  }
}

// -----

// Dot products of this CPU take four unsigned bytes by four signed ones. For signed bytes alone, it would prefer pairs. Both
// kernels offer both, and groups of four take less time together. A GPU that may compute a launch reads groups of four, too, but
// no pairs.

// BYTES:      plan.weight @bytes = {{.*}}#plan.encoding<panel, width = [[WIDTH:[0-9]+]] k = 4, run = 64>
// BYTES:      plan.kernel @unsigned
// BYTES-SAME: encodings = [unit, #plan.encoding<panel, width = [[WIDTH]] k = 4, run = 64>]
// BYTES:      plan.kernel @signed
// BYTES-SAME: encodings = [unit, #plan.encoding<panel, width = [[WIDTH]] k = 4, run = 64>]
// GPU:        plan.weight @bytes = {{.*}}#plan.encoding<panel, width = [[WIDTH:[0-9]+]] k = 4, run = 64>
// GPU:        plan.kernel @unsigned
// GPU-SAME:   encodings = [unit, #plan.encoding<panel, width = [[WIDTH]] k = 4, run = 64>]
// GPU:        plan.kernel @signed
// GPU-SAME:   encodings = [unit, #plan.encoding<panel, width = [[WIDTH]] k = 4, run = 64>]
plan.weight @bytes = dense<1> : tensor<64x64xi8>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<256x64xi8>
  %y = plan.storage output "y" 0 : memref<256x64xi32>
  %z = plan.storage output "z" 1 : memref<256x64xi32>
  %w = plan.use @bytes : memref<64x64xi8>
  plan.launch @unsigned(%x, %w) into(%y) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
  plan.launch @signed(%x, %w) into(%z) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
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

// -----

// A GPU may compute one of these launches, and the CPU the other. The weight that only the CPU reads keeps its pairs, and gets a
// kernel of its own.

// BYTES:      plan.weight @ours = {{.*}}#plan.encoding
// GPU:        plan.weight @ours = {{.*}}#plan.encoding<panel, width = [[WIDTH:[0-9]+]] k = 2, run = 64>
// GPU:        plan.weight @theirs = dense<2> : tensor<64x64xi8>{{$}}
// GPU:        plan.launch @layer_0(
// GPU:        plan.launch @layer(
// GPU:        plan.kernel @layer contraction
// GPU-NOT:    #plan.encoding
// GPU:        plan.kernel @layer_0 contraction
// GPU-SAME:   encodings = [unit, #plan.encoding<panel, width = [[WIDTH]] k = 2, run = 64>]
plan.weight @ours = dense<1> : tensor<64x64xi8>
plan.weight @theirs = dense<2> : tensor<64x64xi8>
plan.entry @main {
  %x = plan.storage input "x" 0 : memref<256x64xi8>
  %y = plan.storage output "y" 0 : memref<256x64xi32>
  %z = plan.storage output "z" 1 : memref<256x64xi32>
  %v = plan.use @ours : memref<64x64xi8>
  %w = plan.use @theirs : memref<64x64xi8>
  plan.launch @layer(%x, %v) into(%y) {plan.engine = "cpu"} : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
  plan.launch @layer(%x, %w) into(%z) : (memref<256x64xi8>, memref<64x64xi8>) into(memref<256x64xi32>)
}
plan.kernel @layer contraction (%a: tensor<256x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<256x64xi32>) cut 0 : 256 by 1 {
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
