// RUN: nacre-opt %s --nacre-expand-quantization --split-input-file | FileCheck %s

// A quotient is rounded, moved by the zero point, and clamped to the range of the codes.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ ,:()]+]]: tensor<2x3xf32>
// CHECK-DAG:     %[[SCALE:[^ ,:()]+]] = nn.constant dense<2.500000e-01> : tensor<f32>
// CHECK-DAG:     %[[ZERO:[^ ,:()]+]] = nn.constant dense<1.280000e+02> : tensor<f32>
// CHECK-DAG:     %[[QUOTIENT:[^ ,:()]+]] = nn.binary div %[[X]], %[[SCALE]]
// CHECK-DAG:     %[[STEPS:[^ ,:()]+]] = nn.unary round %[[QUOTIENT]]
// CHECK:         %[[MOVED:[^ ,:()]+]] = nn.binary add %[[STEPS]], %[[ZERO]]
// CHECK:         %[[ABOVE:[^ ,:()]+]] = nn.binary max %[[MOVED]], %[[LOW:[^ ,:()]+]] :
// CHECK:         %[[WITHIN:[^ ,:()]+]] = nn.binary min %[[ABOVE]], %[[HIGH:[^ ,:()]+]] :
// CHECK:         %[[Q:[^ ,:()]+]] = nn.cast %[[WITHIN]] : tensor<2x3xf32> to tensor<2x3xui8>
// CHECK:         %[[WIDE:[^ ,:()]+]] = nn.cast %[[Q]] : tensor<2x3xui8> to tensor<2x3xf32>
// CHECK:         %[[CENTRED:[^ ,:()]+]] = nn.binary sub %[[WIDE]], %
// CHECK:         %[[Y:[^ ,:()]+]] = nn.binary mul %[[CENTRED]], %[[SCALE]]
// CHECK:         return %[[Y]]
func.func @documented_example(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %scale = nn.constant dense<0.25> : tensor<f32>
  %zero = nn.constant dense<128> : tensor<ui8>
  %q = nn.quantize %x, %scale, %zero : tensor<2x3xf32>, tensor<f32>, tensor<ui8>
  %y = nn.dequantize %q, %scale, %zero : tensor<2x3xui8>, tensor<f32>, tensor<ui8>
  return %y : tensor<2x3xf32>
}

// -----

// A zero point of 0 moves nothing; a scale for each of an axis broadcasts from it. Signed codes have another range.

// CHECK-LABEL: func.func @per_axis(
// CHECK-DAG:     %[[SCALES:[^ ,:()]+]] = nn.constant dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
// CHECK:         %[[QUOTIENT:[^ ,:()]+]] = nn.binary div %{{.*}}, %[[SCALES]]
// CHECK:         %[[STEPS:[^ ,:()]+]] = nn.unary round %[[QUOTIENT]]
// CHECK:         %[[LOW:[^ ,:()]+]] = nn.constant dense<-1.280000e+02> : tensor<f32>
// CHECK:         %[[ABOVE:[^ ,:()]+]] = nn.binary max %[[STEPS]], %[[LOW]]
// CHECK:         %[[HIGH:[^ ,:()]+]] = nn.constant dense<1.270000e+02> : tensor<f32>
// CHECK:         nn.binary min %[[ABOVE]], %[[HIGH]]
func.func @per_axis(%x: tensor<4x2x3xf32>) -> tensor<4x2x3xi8> {
  %scales = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zero = nn.constant dense<0> : tensor<i8>
  %q = nn.quantize %x, %scales, %zero {axis = 1} : tensor<4x2x3xf32>, tensor<2xf32>, tensor<i8>
  return %q : tensor<4x2x3xi8>
}

// -----

// Blocks that fill their axis are an axis of their own; others are repeated, and a single one broadcasts.

// CHECK-LABEL: func.func @blocks(
// CHECK:         %[[SPLIT:[^ ,:()]+]] = nn.reshape %{{.*}} : tensor<2x6xi4> to tensor<2x3x2xi4>
// CHECK:         %[[SCALES:[^ ,:()]+]] = nn.reshape %{{.*}} : tensor<2x3xf32> to tensor<2x3x1xf32>
// CHECK:         nn.binary mul %{{.*}}, %[[SCALES]] : tensor<2x3x2xf32>, tensor<2x3x1xf32>
// CHECK:         nn.reshape %{{.*}} : tensor<2x3x2xf32> to tensor<2x6xf32>
// CHECK:         %[[REPEATED:[^ ,:()]+]] = nn.broadcast %{{.*}} : tensor<2x2x1xf32> to tensor<2x2x4xf32>
// CHECK:         %[[WHOLE:[^ ,:()]+]] = nn.reshape %[[REPEATED]] : tensor<2x2x4xf32> to tensor<2x8xf32>
// CHECK:         %[[BEGIN:[^ ,:()]+]] = nn.slice %[[WHOLE]] [0, 0] [2, 6] [1, 1]
// CHECK:         nn.binary mul %{{.*}}, %[[BEGIN]]
// CHECK:         nn.binary mul %{{.*}}, %{{.*}} : tensor<2x6xf32>, tensor<2x1xf32>
func.func @blocks(%x: tensor<2x6xi4>, %threes: tensor<2x3xf32>, %twos: tensor<2x2xf32>, %ones: tensor<2x1xf32>)
    -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) {
  %zero = nn.constant dense<0> : tensor<i4>
  %0 = nn.dequantize %x, %threes, %zero {axis = 1, block = 2} : tensor<2x6xi4>, tensor<2x3xf32>, tensor<i4>
  %1 = nn.dequantize %x, %twos, %zero {axis = 1, block = 4} : tensor<2x6xi4>, tensor<2x2xf32>, tensor<i4>
  %2 = nn.dequantize %x, %ones, %zero {axis = 1, block = 4611686018427387904} : tensor<2x6xi4>, tensor<2x1xf32>, tensor<i4>
  return %0, %1, %2 : tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>
}

// -----

// A half is computed with in f32, and rounded once. Zero points that are not known are subtracted.

// CHECK-LABEL: func.func @halves(
// CHECK:         %[[CODES:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<3xi8> to tensor<3xf32>
// CHECK:         %[[ZERO:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<i8> to tensor<f32>
// CHECK:         %[[CENTRED:[^ ,:()]+]] = nn.binary sub %[[CODES]], %[[ZERO]]
// CHECK:         %[[SCALE:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<f16> to tensor<f32>
// CHECK:         %[[Y:[^ ,:()]+]] = nn.binary mul %[[CENTRED]], %[[SCALE]]
// CHECK:         nn.cast %[[Y]] : tensor<3xf32> to tensor<3xf16>
func.func @halves(%x: tensor<3xi8>, %scale: tensor<f16>, %zero: tensor<i8>) -> tensor<3xf16> {
  %0 = nn.dequantize %x, %scale, %zero : tensor<3xi8>, tensor<f16>, tensor<i8>
  return %0 : tensor<3xf16>
}

// -----

// Regions are looked into.

// CHECK-LABEL: func.func @regions(
// CHECK:         nn.if
// CHECK:           nn.binary div
// CHECK-NOT:       nn.quantize
func.func @regions(%c: tensor<i1>, %x: tensor<3xf32>, %scale: tensor<f32>, %other: tensor<3xi8>) -> tensor<3xi8> {
  %zero = nn.constant dense<0> : tensor<i8>
  %y = nn.if %c : tensor<i1> -> (tensor<3xi8>) {
    %0 = nn.quantize %x, %scale, %zero : tensor<3xf32>, tensor<f32>, tensor<i8>
    nn.yield %0 : tensor<3xi8>
  } else {
    nn.yield %other : tensor<3xi8>
  }
  return %y : tensor<3xi8>
}

// -----

// Floats of 8 bits are not rounded to integers.

// CHECK-LABEL: func.func @narrow_floats(
// CHECK-NOT:     nn.unary round
// CHECK:         nn.cast %{{.*}} {overflows} : tensor<3xf32> to tensor<3xf8E5M2>
func.func @narrow_floats(%x: tensor<3xf32>, %scale: tensor<f32>) -> tensor<3xf8E5M2> {
  %zero = nn.constant dense<0.0> : tensor<f8E5M2>
  %0 = nn.quantize %x, %scale, %zero {overflows} : tensor<3xf32>, tensor<f32>, tensor<f8E5M2>
  return %0 : tensor<3xf8E5M2>
}
