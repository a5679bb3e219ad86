// RUN: nacre-opt %s --nacre-lower-to-llvm | FileCheck %s

// CHECK: llvm.func @erff(f32) -> f32

// Arrays are bare pointers, and a vector is loaded and stored where an index says.

// CHECK-LABEL: llvm.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: !llvm.ptr {llvm.noalias}, %[[Y:[^ :]+]]: !llvm.ptr, %[[AT:[^ :]+]]: i64)
// CHECK:         %[[FROM:[^ :]+]] = llvm.getelementptr {{.*}}[%[[AT]]]
// CHECK:         %[[LOADED:[^ :]+]] = llvm.load %[[FROM]] {{.*}} -> vector<8xf32>
// CHECK:         %[[TO:[^ :]+]] = llvm.getelementptr {{.*}}[%[[AT]]]
// CHECK:         llvm.store %[[LOADED]], %[[TO]] {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         llvm.return
func.func @documented_example(%x: memref<64xf32> {llvm.noalias}, %y: memref<64xf32>, %at: index) {
  %vector = vector.load %x[%at] : memref<64xf32>, vector<8xf32>
  vector.store %vector, %y[%at] : memref<64xf32>, vector<8xf32>
  return
}

// Branches carry indices as integers.

// CHECK-LABEL: llvm.func @branches(
// CHECK:         llvm.cond_br %{{[^ ]+}}, ^bb1(%{{[^ ]+}} : i64), ^bb2
// CHECK:       ^bb1(%{{[^ ]+}}: i64):
func.func @branches(%low: index, %high: index) {
  %is_less = arith.cmpi slt, %low, %high : index
  cf.cond_br %is_less, ^body(%low : index), ^end
^body(%at: index):
  cf.br ^end
^end:
  return
}

// A part of a vector is a shuffle; a function is an intrinsic if there is one, else a call of the C library.

// CHECK-LABEL: llvm.func @functions(
// CHECK:         llvm.shufflevector %{{.*}} [4, 5, 6, 7]
// CHECK:         llvm.intr.exp(
// CHECK:         llvm.call @erff(
func.func @functions(%vector: vector<8xf32>, %scalar: f32) -> (vector<4xf32>, f32, f32) {
  %part = vector.extract_strided_slice %vector {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  %exp = math.exp %scalar : f32
  %erf = math.erf %scalar : f32
  return %part, %exp, %erf : vector<4xf32>, f32, f32
}

// No access of a flat array builds a descriptor: all operations on such arrays work on pointers.

// CHECK-LABEL: llvm.func @flat_arrays(
// CHECK-SAME:    %[[X:[^ :]+]]: !llvm.ptr, %[[Y:[^ :]+]]: !llvm.ptr, %[[AT:[^ :]+]]: i64, %[[MASK:[^ :]+]]: vector<8xi1>, %[[INDICES:[^ :]+]]: vector<8xi32>)
// CHECK-NOT:     llvm.insertvalue
// CHECK:         %[[SCALAR:[^ :]+]] = llvm.load %{{[^ ]+}} : !llvm.ptr -> f32
// CHECK:         llvm.intr.masked.load %{{[^,]+}}, %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK:         %[[BASE:[^ :]+]] = llvm.getelementptr %[[X]][%[[AT]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         %[[EACH:[^ :]+]] = llvm.getelementptr %[[BASE]][%[[INDICES]]] : (!llvm.ptr, vector<8xi32>) -> vector<8x!llvm.ptr>, f32
// CHECK:         llvm.intr.masked.gather %[[EACH]], %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK:         %[[PART:[^ :]+]] = llvm.getelementptr %[[Y]][%[[AT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         llvm.intr.masked.store %{{[^,]+}}, %[[TO:[^ ,]+]], %[[MASK]] {alignment = 4 : i32}
// CHECK:         llvm.store %[[SCALAR]], %{{[^ ]+}} : f32, !llvm.ptr
// CHECK:         llvm.intr.prefetch
// CHECK:         llvm.ptrtoint %[[PART]] : !llvm.ptr to i64
// CHECK-NOT:     llvm.insertvalue
// CHECK:         llvm.return
func.func @flat_arrays(%x: memref<64xf32>, %y: memref<512xi8>, %at: index, %mask: vector<8xi1>, %indices: vector<8xi32>) -> index {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %scalar = memref.load %x[%at] : memref<64xf32>
  %loaded = vector.maskedload %x[%at], %mask, %zero : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %gathered = vector.gather %x[%at] [%indices], %mask, %loaded : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %part = memref.view %y[%at][] : memref<512xi8> to memref<64xf32>
  vector.maskedstore %part[%at], %mask, %gathered : memref<64xf32>, vector<8xi1>, vector<8xf32>
  memref.store %scalar, %part[%at] : memref<64xf32>
  memref.prefetch %part[%at], read, locality<3>, data : memref<64xf32>
  %pointer = memref.extract_aligned_pointer_as_index %part : memref<64xf32> -> index
  return %pointer : index
}
