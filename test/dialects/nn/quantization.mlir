// RUN: nacre-opt %s --split-input-file | FileCheck %s
// RUN: nacre-opt %s --split-input-file --nacre-fold-constants | FileCheck %s --check-prefix=FOLDED

// Scales and zero points are scalars, or of an axis, or of its blocks, each for itself. The result has the zero point's type, or
// the scale's.

// CHECK-LABEL: func.func @shapes(
// CHECK:         %[[Q:[^ ,:()]+]] = nn.quantize %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64} : tensor<2x3xf32>, tensor<3xf32>, tensor<i8>
// CHECK:         nn.dequantize %[[Q]], %{{.*}}, %{{.*}} {axis = 1 : i64, block = 2 : i64} : tensor<2x3xi8>, tensor<2x2xf16>, tensor<2x2xi8>
// CHECK:         nn.quantize %{{.*}}, %{{.*}}, %{{.*}} {overflows} : tensor<2x3xf32>, tensor<f32>, tensor<f8E5M2>
// CHECK:         return {{.*}} : tensor<2x3xf16>, tensor<2x3xf8E5M2>
func.func @shapes(%x: tensor<2x3xf32>, %scales: tensor<3xf32>, %zero: tensor<i8>, %blocks: tensor<2x2xf16>,
                  %zeros: tensor<2x2xi8>, %scale: tensor<f32>, %narrow: tensor<f8E5M2>)
    -> (tensor<2x3xf16>, tensor<2x3xf8E5M2>) {
  %q = nn.quantize %x, %scales, %zero {axis = 1} : tensor<2x3xf32>, tensor<3xf32>, tensor<i8>
  %y = nn.dequantize %q, %blocks, %zeros {axis = 1, block = 2} : tensor<2x3xi8>, tensor<2x2xf16>, tensor<2x2xi8>
  %z = nn.quantize %x, %scale, %narrow {overflows} : tensor<2x3xf32>, tensor<f32>, tensor<f8E5M2>
  return %y, %z : tensor<2x3xf16>, tensor<2x3xf8E5M2>
}

// -----

// Halves go to even; what is beyond the range becomes its end, and what is no number 0.

// FOLDED-LABEL: func.func @quantize(
// FOLDED-DAG:     nn.constant dense<[0, 2, 2, -2, 127, -128, 127, 0]> : tensor<8xi8>
// FOLDED-DAG:     nn.constant dense<[3, 5, 5, 1, 255, 0, 255, 0]> : tensor<8xui8>
// FOLDED-DAG:     nn.constant dense<[0, 2, 2, -2, 7, -8, 7, 0]> : tensor<8xi4>
func.func @quantize() -> (tensor<8xi8>, tensor<8xui8>, tensor<8xi4>) {
  %x = nn.constant dense<[0.25, 0.75, 1.25, -1.25, 63.6, -1000.0, 0x7F800000, 0x7FC00000]> : tensor<8xf32>
  %wide = nn.constant dense<[0.25, 0.75, 1.25, -1.25, 127.0, -1000.0, 0x7F800000, 0x7FC00000]> : tensor<8xf32>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %none = nn.constant dense<0> : tensor<i8>
  %three = nn.constant dense<3> : tensor<ui8>
  %small = nn.constant dense<0> : tensor<i4>
  %0 = nn.quantize %x, %scale, %none : tensor<8xf32>, tensor<f32>, tensor<i8>
  %1 = nn.quantize %wide, %scale, %three : tensor<8xf32>, tensor<f32>, tensor<ui8>
  %2 = nn.quantize %x, %scale, %small : tensor<8xf32>, tensor<f32>, tensor<i4>
  return %0, %1, %2 : tensor<8xi8>, tensor<8xui8>, tensor<8xi4>
}

// -----

// A division: 3.1 / 0.2 is 15.499999 in f32, and 3.1 times 1 / 0.2 is 15.5, which goes to 16.

// FOLDED-LABEL: func.func @divides(
// FOLDED:         nn.constant dense<[15, 5]> : tensor<2xui8>
func.func @divides() -> tensor<2xui8> {
  %x = nn.constant dense<[3.1, 1.0]> : tensor<2xf32>
  %scale = nn.constant dense<0.2> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %0 = nn.quantize %x, %scale, %zero : tensor<2xf32>, tensor<f32>, tensor<ui8>
  return %0 : tensor<2xui8>
}

// -----

// Each row has its scale, and each two columns, of which the last block has one.

// FOLDED-LABEL: func.func @granularity(
// FOLDED-DAG:     nn.constant dense<{{\[\[}}1, 2, 3], [3, 3, 4]]> : tensor<2x3xi8>
// FOLDED-DAG:     nn.constant dense<{{\[\[}}1, 2, 7], [2, 2, 1]]> : tensor<2x3xui8>
func.func @granularity() -> (tensor<2x3xi8>, tensor<2x3xui8>) {
  %x = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %rows = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zeros = nn.constant dense<[0, 1]> : tensor<2xi8>
  %blocks = nn.constant dense<[[1.0, 0.5], [2.5, 6.0]]> : tensor<2x2xf32>
  %ends = nn.constant dense<[[0, 1], [0, 0]]> : tensor<2x2xui8>
  %0 = nn.quantize %x, %rows, %zeros {axis = 0} : tensor<2x3xf32>, tensor<2xf32>, tensor<2xi8>
  %1 = nn.quantize %x, %blocks, %ends {axis = 1, block = 2} : tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x2xui8>
  return %0, %1 : tensor<2x3xi8>, tensor<2x3xui8>
}

// -----

// Floats of 8 bits are not rounded to integers; 1000 is beyond both ranges.

// FOLDED-LABEL: func.func @narrow_floats(
// FOLDED-DAG:     nn.constant dense<[2.500000e+00, 4.480000e+02]> : tensor<2xf8E4M3FN>
// FOLDED-DAG:     nn.constant dense<[2.500000e+00, 0x7F]> : tensor<2xf8E4M3FN>
func.func @narrow_floats() -> (tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>) {
  %x = nn.constant dense<[1.25, 500.0]> : tensor<2xf32>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f8E4M3FN>
  %0 = nn.quantize %x, %scale, %zero : tensor<2xf32>, tensor<f32>, tensor<f8E4M3FN>
  %1 = nn.quantize %x, %scale, %zero {overflows} : tensor<2xf32>, tensor<f32>, tensor<f8E4M3FN>
  return %0, %1 : tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>
}

// -----

// Codes of several numbers stay what they are; one number is folded.

// FOLDED-LABEL: func.func @dequantize(
// FOLDED-DAG:     %[[CODES:[^ ,:()]+]] = nn.constant dense<[1, 2]> : tensor<2xi8>
// FOLDED-DAG:     %[[ONE:[^ ,:()]+]] = nn.constant dense<-1.500000e+00> : tensor<1xf32>
// FOLDED-DAG:     %[[REALS:[^ ,:()]+]] = nn.dequantize %[[CODES]]
// FOLDED:         return %[[REALS]], %[[ONE]]
func.func @dequantize() -> (tensor<2xf32>, tensor<1xf32>) {
  %codes = nn.constant dense<[1, 2]> : tensor<2xi8>
  %code = nn.constant dense<[1]> : tensor<1xi8>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<4> : tensor<i8>
  %0 = nn.dequantize %codes, %scale, %zero : tensor<2xi8>, tensor<f32>, tensor<i8>
  %1 = nn.dequantize %code, %scale, %zero : tensor<1xi8>, tensor<f32>, tensor<i8>
  return %0, %1 : tensor<2xf32>, tensor<1xf32>
}
