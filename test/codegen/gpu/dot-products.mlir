// RUN: nacre-kernel --gpu %s --kernel=signed --variant=1 | FileCheck %s --check-prefix=SIGNED
// RUN: nacre-kernel --gpu %s --kernel=mixed --variant=1 | FileCheck %s --check-prefix=MIXED
// RUN: nacre-kernel --gpu %s --kernel=signed --variant=0 | FileCheck %s --check-prefix=MATRICES
// RUN: nacre-kernel --gpu %s --kernel=mixed --variant=0 | FileCheck %s --check-prefix=FLIPPED
// RUN: nacre-kernel --gpu %s --kernel=signed --describe -o %t 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: nacre-kernel --gpu %s --kernel=joined --variant=0 | FileCheck %s --check-prefix=JOINED

// A product of bytes reads words of four steps, and multiplies them by dot products. An extension of SPIR-V has these, so
// the version is that of other kernels.

// SIGNED:     requires #spirv.vce<v1.3, [Shader, DotProduct, DotProductInput4x8BitPacked, Matrix], [SPV_KHR_storage_buffer_storage_class, SPV_KHR_integer_dot_product]>
// SIGNED:     spirv.SDot {{.*}} <PackedVectorFormat4x8Bit> : i32 -> i32
// SIGNED:     spirv.IAdd {{.*}} : vector<4xi32>

// In groups of eight steps, the two words of a column are adjacent. So a row is read by two words, and two columns are read
// together.

// MIXED-DAG: spirv.Load "StorageBuffer" %{{.*}} : vector<2xi32>
// MIXED-DAG: spirv.Load "StorageBuffer" %{{.*}} : vector<4xi32>
// MIXED:     spirv.SUDot {{.*}} <PackedVectorFormat4x8Bit> : i32 -> i32

// The first variant has matrices of bytes; NVIDIA uses it. The last variant has no dot products; all families use it. Need 512
// is signed dot products, and 4104 is matrices of bytes.

// NEEDS:      signed 0: {{.*}} needs 4104, families 16
// NEEDS-NEXT: signed 1: {{.*}} needs 512, families 113
// NEEDS-NEXT: signed 2: {{.*}} needs 512, families 0
// NEEDS-NEXT: signed 3: {{.*}} needs 0, families 0
// NEEDS-NOT:  signed

// Matrices of bytes are signed. Those of the right operand are loaded by columns.

// MATRICES:     requires #spirv.vce<v1.6, {{.*}}CooperativeMatrixKHR
// MATRICES-NOT: spirv.BitwiseXor
// MATRICES:     spirv.KHR.CooperativeMatrixLoad {{.*}}, <RowMajor>, {{.*}} !spirv.coopmatrix<16x32xsi8, Subgroup, MatrixA>
// MATRICES:     spirv.KHR.CooperativeMatrixLoad {{.*}}, <ColumnMajor>, {{.*}} !spirv.coopmatrix<32x16xsi8, Subgroup, MatrixB>
// MATRICES:     spirv.KHR.CooperativeMatrixMulAdd {{.*}}, <ASigned|BSigned|CSigned|ResultSigned> :
// MATRICES:     spirv.KHR.CooperativeMatrixStore {{.*}} !spirv.coopmatrix<16x16xi32, Subgroup, MatrixAcc>
// MATRICES-NOT: spirv.SDot

// Unsigned bytes become signed, and -128 times each column is subtracted.

// FLIPPED: %[[BITS:[^ ,:()]+]] = spirv.Constant dense<-2139062144> : vector<4xi32>
// FLIPPED: spirv.BitwiseXor %{{.*}}, %[[BITS]] : vector<4xi32>
// FLIPPED: spirv.SDot %{{.*}}, %cst-2139062144_i32, <PackedVectorFormat4x8Bit> : i32 -> i32
// FLIPPED: spirv.KHR.CooperativeMatrixMulAdd {{.*}}, <ASigned|BSigned|CSigned|ResultSigned> :
// FLIPPED: spirv.ISub %{{.*}} : vector<4xi32>

// Rows of 6 bytes are not aligned, so their words are joined from bytes.

// JOINED:         spirv.UConvert {{.*}} : i8 to i32
// JOINED:         spirv.ShiftLeftLogical
// JOINED:         spirv.BitwiseOr
// JOINED:         spirv.SDot

plan.kernel @signed contraction (%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<64x64xi32>) cut 0 : 64 by 1
    attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 4, run = 64>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xi8>, tensor<64x64xi8>) outs(%init : tensor<64x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  plan.yield %r : tensor<64x64xi32>
}

plan.kernel @mixed contraction (%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) into (%c: tensor<64x64xi32>) cut 0 : 64 by 1
    attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 8, run = 64>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xi8>, tensor<64x64xi8>) outs(%init : tensor<64x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  plan.yield %r : tensor<64x64xi32>
}

plan.kernel @joined contraction (%a: tensor<64x6xi8>, %b: tensor<6x64xi8>) into (%c: tensor<64x64xi32>) cut 0 : 64 by 1
    attributes {encodings = [unit, #plan.encoding<panel, width = 16 k = 4, run = 6>]} {
  %zero = arith.constant 0 : i32
  %init = linalg.fill ins(%zero : i32) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x6xi8>, tensor<6x64xi8>) outs(%init : tensor<64x64xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %m = arith.muli %u, %v : i32
    %s = arith.addi %z, %m : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  plan.yield %r : tensor<64x64xi32>
}
