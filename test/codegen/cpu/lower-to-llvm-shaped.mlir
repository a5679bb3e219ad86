// RUN: nacre-opt %s --nacre-lower-to-llvm | FileCheck %s

// An array of two dimensions, as in kernels of the fallback, has a descriptor. Then flat arrays beside it have one, too.

// CHECK-LABEL: llvm.func @shaped_arrays(
// CHECK-SAME:    %[[X:[^ :]+]]: !llvm.ptr, %[[Y:[^ :]+]]: !llvm.ptr, %[[AT:[^ :]+]]: i64)
// CHECK-DAG:     llvm.insertvalue %[[X]], %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// CHECK-DAG:     llvm.insertvalue %[[Y]], %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK:         llvm.load
// CHECK:         llvm.store
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         llvm.return
func.func @shaped_arrays(%x: memref<4x16xf32>, %y: memref<64xf32>, %at: index) {
  %scalar = memref.load %x[%at, %at] : memref<4x16xf32>
  memref.store %scalar, %y[%at] : memref<64xf32>
  return
}
