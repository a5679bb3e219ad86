// RUN: nacre-opt %s --nacre-note-alignments | FileCheck %s
// RUN: nacre-opt %s --nacre-note-alignments -o %t && nacre-kernel --gpu --gpu-emit=gpu %t | FileCheck %s --check-prefix=SHADER
// RUN: nacre-opt %s --nacre-note-alignments -o %t && nacre-kernel --gpu %t | FileCheck %s --check-prefix=SPIRV
// RUN: nacre-opt %s --nacre-note-alignments -o %t && nacre-kernel --gpu %t --describe -o %t.spirv 2>&1 | FileCheck %s --check-prefix=DESCRIBE

// Rows of three elements begin on any element; they are bound at a place before, and indices are moved on by what the
// push constant behind the share says.

// CHECK-LABEL: plan.kernel @documented_example
// CHECK-SAME:    attributes {nacre.alignments = array<i64: 4, 256>}
// SHADER-LABEL: gpu.module @documented_example_0
// SHADER:         gpu.func @main(%[[X:[^ :]+]]: memref<?xf32, {{.*}}, %[[Y:[^ :]+]]: memref<3xf32
// SHADER-DAG:     %[[C4:[^ :]+]] = arith.constant 4 : index
// SHADER-DAG:     %[[BYTES:[^ :]+]] = builtin.unrealized_conversion_cast to index {nacre.push_constant = 2 : i64}
// SHADER:         %[[SHIFT:[^ :]+]] = arith.divui %[[BYTES]], %[[C4]]
// SHADER:         %[[AT:[^ :]+]] = arith.addi %[[POINT:[^ :]+]], %[[SHIFT]]
// SHADER:         memref.load %[[X]][%[[AT]]]
// SHADER:         memref.store %{{[^ :]+}}, %[[Y]][%[[POINT]]]
// SPIRV-LABEL:  spirv.module @__spv__documented_example_0
// SPIRV:          @__push_constant_var__ : !spirv.ptr<!spirv.struct<(!spirv.array<3 x i32, stride=4> [0])>, PushConstant>
// SPIRV:          bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
// SPIRV:          bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.array<3 x f32, stride=4> [0])>, StorageBuffer>
// DESCRIBE:     documented_example 0: {{.*}} bindings 0+ 1
plan.kernel @documented_example nest (%x: tensor<1x3xf32>) into (%y: tensor<1x3xf32>) cut 0 : 1 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x3xf32>) outs(%y : tensor<1x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x3xf32>
  plan.yield %r : tensor<1x3xf32>
}

// A view of a view on a multiple of 16 bytes still is whole vectors; one launch among several decides.

// CHECK-LABEL: plan.kernel @vectors
// CHECK-SAME:    attributes {nacre.alignments = array<i64: 16, 64>}
// SHADER-LABEL: gpu.module @vectors_0
// SHADER:         gpu.func @main(%{{[^ :]+}}: memref<?xvector<4xf32>, {{.*}}, %{{[^ :]+}}: memref<?xvector<4xf32>
// DESCRIBE:     vectors 0: {{.*}} bindings 0+ 1+
plan.kernel @vectors nest (%x: tensor<2x32xf32>) into (%y: tensor<2x32xf32>) cut 0 : 2 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x32xf32>) outs(%y : tensor<2x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x32xf32>
  plan.yield %r : tensor<2x32xf32>
}

// Where all operands begin on 256 bytes nothing is noted.

// CHECK-LABEL: plan.kernel @aligned
// CHECK-NOT:     nacre.alignments
// SHADER-LABEL: gpu.module @aligned_0
// SHADER-SAME:    {{$}}
// SHADER:         memref<32xvector<4xf32>
// DESCRIBE:     aligned 0: {{.*}} bindings 0 1{{$}}
plan.kernel @aligned nest (%x: tensor<4x32xf32>) into (%y: tensor<4x32xf32>) cut 0 : 4 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x32xf32>) outs(%y : tensor<4x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  plan.yield %r : tensor<4x32xf32>
}

plan.entry @main {
  %states = plan.storage temporary {offset = 0 : i64} : memref<9x3xf32>
  %y = plan.storage temporary {offset = 256 : i64} : memref<1x3xf32>
  %big = plan.storage temporary {offset = 512 : i64} : memref<1024xf32>
  %z = plan.storage temporary {offset = 4608 : i64} : memref<256xf32>
  plan.for 9 {
  ^bb0(%t: index):
    %row = plan.view %states[%t] {step = 3 : i64} : memref<9x3xf32> to memref<1x3xf32>
    plan.launch @documented_example(%row) into(%y) {cpu = array<i64: 0, 0>, gpu = array<i64: 0, 1>} : (memref<1x3xf32>) into (memref<1x3xf32>)
  }
  %upper = plan.view %big {offset = 64 : i64} : memref<1024xf32> to memref<512xf32>
  %piece = plan.view %upper {offset = 4 : i64} : memref<512xf32> to memref<2x32xf32>
  %whole = plan.view %z {offset = 64 : i64} : memref<256xf32> to memref<2x32xf32>
  %half = plan.view %z {offset = 16 : i64} : memref<256xf32> to memref<2x32xf32>
  %begin = plan.view %big : memref<1024xf32> to memref<2x32xf32>
  plan.launch @vectors(%piece) into(%whole) {cpu = array<i64: 0, 0>, gpu = array<i64: 0, 2>} : (memref<2x32xf32>) into (memref<2x32xf32>)
  plan.launch @vectors(%begin) into(%half) {cpu = array<i64: 0, 0>, gpu = array<i64: 0, 2>} : (memref<2x32xf32>) into (memref<2x32xf32>)
  %four = plan.view %big {offset = 128 : i64} : memref<1024xf32> to memref<4x32xf32>
  %into = plan.view %z {offset = 128 : i64} : memref<256xf32> to memref<4x32xf32>
  plan.launch @aligned(%four) into(%into) {cpu = array<i64: 0, 0>, gpu = array<i64: 0, 4>} : (memref<4x32xf32>) into (memref<4x32xf32>)
}
