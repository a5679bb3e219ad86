// RUN: nacre-opt %s --nacre-assign-engine --nacre-recognize-quantized --canonicalize --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-recognize-quantized=unsigned-left=false --canonicalize --split-input-file \
// RUN:   | FileCheck %s --check-prefix=SIGNED
// RUN: nacre-opt %s --nacre-assign-engine --nacre-recognize-quantized=most-keys=7 --canonicalize --split-input-file \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: nacre-opt %s --nacre-recognize-quantized --canonicalize --split-input-file | FileCheck %s --check-prefix=NONE

// Scales and zero points are read from the quantizations. Values change their sign, so their zero point is 128 less.

// CHECK-LABEL: func.func @codes(
// CHECK-SAME:    %[[Q:[^ :]+]]: tensor<2x4x4xui8>, %[[K:[^ :]+]]: tensor<2x4x8xi8>, %[[V:[^ :]+]]: tensor<2x8x5xui8>, %[[M:[^ :]+]]: tensor<8xf32>)
// CHECK-SAME:    nn.in_floats = [], nn.in_integers = [#loc{{[0-9]*}}, #loc{{[0-9]*}}]
// CHECK:         %[[FLIP:[^ ,:()]+]] = nn.binary xor %[[V]], %{{.*}}
// CHECK-NEXT:    %[[I8:[^ ,:()]+]] = nn.bitcast %[[FLIP]] : tensor<2x8x5xui8> to tensor<2x8x5xi8>
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.attention %[[Q]], %[[K]], %[[I8]] mask %[[M]]
// CHECK-SAME:      codes = [#nn.codes<5.000000e-01, 120>, #nn.codes<2.500000e-01, -3>, #nn.codes<3.906250e-03, 0>, #nn.codes<1.250000e-01, 5>]
// CHECK-SAME:      scale = 3.750000e-01 : f64
// CHECK-NEXT:    nn.cast %[[A]] : tensor<2x4x5xi32> to tensor<2x4x5xf32>
// SIGNED-LABEL: func.func @codes(
// SIGNED:         nn.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} {codes = [#nn.codes<5.000000e-01, -8>, #nn.codes<2.500000e-01, -3>, #nn.codes<3.906250e-03, -128>, #nn.codes<1.250000e-01, 5>]
// SIGNED-SAME:      : tensor<2x4x4xi8>, tensor<2x4x8xi8>, tensor<2x8x5xi8>, tensor<8xf32>
// NONE-LABEL: func.func @codes(
// NONE-NOT:     nn.attention
func.func @codes(%q: tensor<2x4x4xui8>, %k: tensor<2x4x8xi8>, %v: tensor<2x8x5xui8>, %mask: tensor<8xf32>) -> tensor<4x2x5xi8> {
  %qs = nn.constant dense<0.5> : tensor<f32>
  %qz = nn.constant dense<120> : tensor<ui8>
  %ks = nn.constant dense<0.25> : tensor<f32>
  %kz = nn.constant dense<-3> : tensor<i8>
  %vs = nn.constant dense<0.125> : tensor<f32>
  %vz = nn.constant dense<133> : tensor<ui8>
  %ws = nn.constant dense<0.00390625> : tensor<f32>
  %wz = nn.constant dense<0> : tensor<ui8>
  %ys = nn.constant dense<0.5> : tensor<f32>
  %yz = nn.constant dense<7> : tensor<i8>
  %three = nn.constant dense<3.0> : tensor<f32>
  %eight = nn.constant dense<8.0> : tensor<f32>
  %0 = nn.dequantize %q, %qs, %qz : tensor<2x4x4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %k, %ks, %kz : tensor<2x4x8xi8>, tensor<f32>, tensor<i8>
  %2 = nn.dequantize %v, %vs, %vz : tensor<2x8x5xui8>, tensor<f32>, tensor<ui8>
  %3 = nn.matmul %0, %1 : tensor<2x4x4xf32>, tensor<2x4x8xf32>
  %4 = nn.binary mul %three, %3 : tensor<f32>, tensor<2x4x8xf32>
  %5 = nn.binary div %4, %eight : tensor<2x4x8xf32>, tensor<f32>
  %6 = nn.binary add %5, %mask : tensor<2x4x8xf32>, tensor<8xf32>
  %7 = nn.softmax %6 {axis = 2 : i64} : tensor<2x4x8xf32>
  %8 = nn.quantize %7, %ws, %wz : tensor<2x4x8xf32>, tensor<f32>, tensor<ui8>
  %9 = nn.dequantize %8, %ws, %wz : tensor<2x4x8xui8>, tensor<f32>, tensor<ui8>
  %10 = nn.matmul %9, %2 : tensor<2x4x8xf32>, tensor<2x8x5xf32>
  %11 = nn.transpose %10 [1, 0, 2] : tensor<2x4x5xf32>
  %12 = nn.quantize %11, %ys, %yz : tensor<4x2x5xf32>, tensor<f32>, tensor<i8>
  return %12 : tensor<4x2x5xi8>
}

// -----

// The weights are dequantized by another scale than they were quantized by.

// CHECK-LABEL: func.func @other_scale(
// CHECK-NOT:     nn.attention
// CHECK:         return
// SIGNED-LABEL: func.func @other_scale(
// NONE-LABEL: func.func @other_scale(
func.func @other_scale(%q: tensor<4x4xui8>, %k: tensor<4x8xui8>, %v: tensor<8x5xui8>) -> tensor<4x5xf32> {
  %s = nn.constant dense<0.5> : tensor<f32>
  %z = nn.constant dense<0> : tensor<ui8>
  %ws = nn.constant dense<0.00390625> : tensor<f32>
  %0 = nn.dequantize %q, %s, %z : tensor<4x4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %k, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.dequantize %v, %s, %z : tensor<8x5xui8>, tensor<f32>, tensor<ui8>
  %3 = nn.matmul %0, %1 : tensor<4x4xf32>, tensor<4x8xf32>
  %4 = nn.softmax %3 {axis = 1 : i64} : tensor<4x8xf32>
  %5 = nn.quantize %4, %ws, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8>
  %6 = nn.dequantize %5, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8>
  %7 = nn.matmul %6, %2 : tensor<4x8xf32>, tensor<8x5xf32>
  return %7 : tensor<4x5xf32>
}

// -----

// The values are constant, so the sums of their columns are one constant, and the products stay.

// CHECK-LABEL: func.func @constant_values(
// CHECK-NOT:     nn.attention
// CHECK:         return
// SIGNED-LABEL: func.func @constant_values(
// NONE-LABEL: func.func @constant_values(
func.func @constant_values(%q: tensor<4x4xui8>, %k: tensor<4x2xui8>) -> tensor<4x2xf32> {
  %s = nn.constant dense<0.5> : tensor<f32>
  %z = nn.constant dense<0> : tensor<ui8>
  %ws = nn.constant dense<0.00390625> : tensor<f32>
  %v = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>
  %0 = nn.dequantize %q, %s, %z : tensor<4x4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %k, %s, %z : tensor<4x2xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.dequantize %v, %s, %z : tensor<2x2xui8>, tensor<f32>, tensor<ui8>
  %3 = nn.matmul %0, %1 : tensor<4x4xf32>, tensor<4x2xf32>
  %4 = nn.softmax %3 {axis = 1 : i64} : tensor<4x2xf32>
  %5 = nn.quantize %4, %ws, %z : tensor<4x2xf32>, tensor<f32>, tensor<ui8>
  %6 = nn.dequantize %5, %ws, %z : tensor<4x2xui8>, tensor<f32>, tensor<ui8>
  %7 = nn.matmul %6, %2 : tensor<4x2xf32>, tensor<2x2xf32>
  return %7 : tensor<4x2xf32>
}
