// RUN: nacre-kernel --gpu %s | FileCheck %s
// RUN: nacre-kernel --gpu %s --describe -o %t 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: nacre-kernel --gpu %s --kernel=matmul --gpu-precision=fp16 --variant=0 | FileCheck %s --check-prefix=MATRICES
// RUN: nacre-kernel --gpu %s --kernel=wide --variant=0 | FileCheck %s --check-prefix=WIDE
// RUN: nacre-kernel --gpu %s --kernel=across --variant=0 --gpu-tile=cooperative:rows=1,quads=2,columns=1,lines=2,depth=32,buffers=1 | FileCheck %s --check-prefix=ACROSS
// RUN: nacre-kernel --gpu %s --kernel=matmul --gpu-tile=shared:rows=4,columns=8,lines=4,depth=16 --variant=0 --describe -o %t 2>&1 | FileCheck %s --check-prefix=TRIED
// RUN: nacre-kernel --gpu %s --kernel=matmul --gpu-precision=fp16 --gpu-tile=cooperative:rows=1,quads=2,columns=1,lines=1,depth=64,buffers=1,parts=4 --variant=0 | FileCheck %s --check-prefix=SETS
// RUN: not nacre-kernel --gpu %s --kernel=matmul --gpu-tile=round 2>&1 | FileCheck %s --check-prefix=ROUND
// RUN: nacre-kernel --gpu %s --kernel=matmul --gpu-precision=fp16 --variant=0 --describe -o %t 2>&1 | FileCheck %s --check-prefix=MATRICES-NEED

// The least capabilities; what they need of a device is said to the runtime. The share is two push constants.

// CHECK-LABEL: spirv.module @__spv__matmul_0 Logical GLSL450 requires #spirv.vce<v1.0, [Shader, Matrix], [SPV_KHR_storage_buffer_storage_class]>
// CHECK:         spirv.GlobalVariable @__push_constant_var__ : !spirv.ptr<!spirv.struct<(!spirv.array<2 x i32, stride=4> [0])>, PushConstant>
// CHECK:         spirv.GlobalVariable @main_arg_0 bind(0, 0)
// CHECK:         spirv.EntryPoint "GLCompute" @main
// CHECK:         spirv.ExecutionMode @main "LocalSize", 64, 1, 1
// NEEDS:       matmul 0: unit extent 64, groups 4, workgroup 64, shared 9216, needs 0, families 113
// NEEDS:       matmul 1: unit extent 64, {{.*}} shared 0, needs 0, families 0

// Products of f16 are summed by cooperative matrices, under the Vulkan memory model: what invocations tell each other
// through shared memory is not private, and barriers make it visible. Needs 260: arithmetic on f16 and matrices; families
// 49: those whose shared memory is worth the way.

// MATRICES:      Logical Vulkan requires #spirv.vce<v1.6, {{\[.*}}CooperativeMatrixKHR{{.*}}VulkanMemoryModel]
// MATRICES:      spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// MATRICES:      spirv.Store "Workgroup" {{.*}} ["NonPrivatePointer"] : vector<4xi32>
// MATRICES:      spirv.KHR.CooperativeMatrixLoad {{.*}} <NonPrivatePointer> : !spirv.ptr<vector<4xi32>, Workgroup>
// MATRICES:      spirv.KHR.CooperativeMatrixMulAdd
// MATRICES:      spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// MATRICES-NOT:  spirv.{{Load|Store}} "Workgroup" %{{[0-9]+(, %[0-9]+)?}} :
// MATRICES-NEED: matmul 0: {{.*}} needs 260, families 49

// Four sets of one subgroup multiply a step of 16 each; what they leave in shared memory is added, once all have.

// SETS-COUNT-2: spirv.KHR.CooperativeMatrixMulAdd
// SETS-NOT:     spirv.KHR.CooperativeMatrixMulAdd
// SETS-COUNT-2: spirv.KHR.CooperativeMatrixStore
// SETS-NEXT:    spirv.ControlBarrier <Workgroup>, <Workgroup>
// SETS-COUNT-3: spirv.FAdd {{.*}} : vector<4xf32>
// SETS:         spirv.ExecutionMode @main "LocalSize", 128, 1, 1
plan.kernel @matmul contraction (%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) into (%c: tensor<64x64xf32>) cut 0 : 64 by 1 {
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

// TRIED: matmul 0: unit extent 64, groups 8, workgroup 32,
// ROUND: cannot be compiled with the tile 'round': a tile must be shared, cooperative, split, winograd, winograd-block or winograd-gradient

// Matrices of f16 in memory come by 16 bytes at a time.

// WIDE: spirv.GlobalVariable @main_arg_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<1024 x vector<4xi32>, stride=16> [0])>, StorageBuffer>
// WIDE: spirv.GlobalVariable @main_arg_1 bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.array<512 x vector<4xi32>, stride=16> [0])>, StorageBuffer>
// WIDE: spirv.Load "StorageBuffer" {{.*}} : vector<4xi32>
// WIDE: spirv.Store "Workgroup" {{.*}} : vector<4xi32>

plan.kernel @wide contraction (%a: tensor<128x64xf16>, %b: tensor<64x64xf16>) into (%c: tensor<128x64xf32>) cut 0 : 128 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<128x64xf32>) -> tensor<128x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x64xf16>, tensor<64x64xf16>) outs(%init : tensor<128x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %f = arith.extf %x : f16 to f32
    %g = arith.extf %y : f16 to f32
    %m = arith.mulf %f, %g : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<128x64xf32>
  plan.yield %r : tensor<128x64xf32>
}

// Operands that are read transposed lie in shared memory as in memory, and their matrices are loaded by columns.

// ACROSS-DAG: spirv.GlobalVariable @__workgroup_mem__{{[01]}} : {{.*}}array<160 x vector<4xi32>>
// ACROSS-DAG: spirv.GlobalVariable @__workgroup_mem__{{[01]}} : {{.*}}array<160 x vector<4xi32>>
// ACROSS-DAG: spirv.GlobalVariable @main_arg_0 bind(0, 0) : {{.*}}array<1024 x vector<4xi32>, stride=16>
// ACROSS-DAG: spirv.GlobalVariable @main_arg_1 bind(0, 1) : {{.*}}array<512 x vector<4xi32>, stride=16>
// ACROSS-NOT: spirv.CompositeExtract {{.*}} : vector<4xf16>
// ACROSS:     spirv.KHR.CooperativeMatrixLoad {{.*}} <ColumnMajor>{{.*}} MatrixA>
// ACROSS-COUNT-2: spirv.KHR.CooperativeMatrixLoad {{.*}} <ColumnMajor>{{.*}} MatrixB>
plan.kernel @across contraction (%a: tensor<64x128xf16>, %b: tensor<64x64xf16>) into (%c: tensor<128x64xf32>) cut 1 : 64 by 8 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<128x64xf32>) -> tensor<128x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x128xf16>, tensor<64x64xf16>) outs(%init : tensor<128x64xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %f = arith.extf %x : f16 to f32
    %g = arith.extf %y : f16 to f32
    %m = arith.mulf %f, %g : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<128x64xf32>
  plan.yield %r : tensor<128x64xf32>
}

// f16 keeps its width: an array of 16-bit elements, and the capabilities for it. Needs 5: storage and arithmetic.

// CHECK-LABEL: spirv.module @__spv__halves_0
// CHECK-SAME:    Float16
// CHECK-SAME:    StorageBuffer16BitAccess
// CHECK-SAME:    SPV_KHR_16bit_storage
// CHECK:         spirv.GlobalVariable @main_arg_0 bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<12 x vector<4xf16>, stride=8> [0])>, StorageBuffer>
// NEEDS:       halves 0: {{.*}} needs 5, families 0

plan.kernel @halves contraction (%a: tensor<4x12xf16>, %b: tensor<12x8xf16>) into (%c: tensor<4x8xf32>) cut 0 : 4 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4x12xf16>, tensor<12x8xf16>) outs(%init : tensor<4x8xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %f = arith.extf %x : f16 to f32
    %g = arith.extf %y : f16 to f32
    %m = arith.mulf %f, %g : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  plan.yield %r : tensor<4x8xf32>
}

// A square: one storage is both operands, read in rows by the one and element by element, transposed, by the other. Both
// variables show the same bytes and are marked so.

// CHECK-LABEL: spirv.module @__spv__square_0
// CHECK:         spirv.GlobalVariable @main_arg_{{[0-9]}} bind(0, 0) {aliased} : {{.*}}array<6 x vector<4xf32>
// CHECK:         spirv.GlobalVariable @main_arg_{{[0-9]}} bind(0, 0) {aliased} : {{.*}}array<24 x f32
plan.kernel @square contraction (%a: tensor<6x4xf32>) into (%c: tensor<6x6xf32>) cut 0 : 6 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<6x6xf32>) -> tensor<6x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : tensor<6x4xf32>, tensor<6x4xf32>) outs(%init : tensor<6x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<6x6xf32>
  plan.yield %r : tensor<6x6xf32>
}

// What does not become SPIR-V is declined, not an error: the CPU computes it.

// NEEDS:       odd_width: declined: variant 0 is not valid SPIR-V: failed to legalize

plan.kernel @odd_width nest (%x: tensor<8xi24>) into (%y: tensor<8xi24>) cut 0 : 8 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi24>) outs(%y : tensor<8xi24>) {
  ^bb0(%a: i24, %o: i24):
    %s = arith.addi %a, %a : i24
    linalg.yield %s : i24
  } -> tensor<8xi24>
  plan.yield %r : tensor<8xi24>
}
