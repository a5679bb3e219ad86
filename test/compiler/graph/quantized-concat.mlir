// RUN: nacre-opt %s --nacre-simplify-graph --nacre-recognize-quantized --nacre-expand-quantization --nacre-fold-constants \
// RUN:   --nacre-simplify-graph --canonicalize --split-input-file | FileCheck %s

// Parts of a concat with other scales than the result's are rounded to those before they are joined; one that has it stays as it is.

// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[A:[^ :]+]]: tensor<1x2x2x3xui8>, %[[B:[^ :]+]]: tensor<1x2x2x5xui8>)
// CHECK:         %[[Q:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<1x2x2x5xf32> to tensor<1x2x2x5xui8>
// CHECK-NEXT:    %[[Y:[^ ,:()]+]] = nn.concat %[[A]], %[[Q]] {axis = 3 : i64} : tensor<1x2x2x3xui8>, tensor<1x2x2x5xui8>
// CHECK-NEXT:    return %[[Y]]
func.func @concat(%a: tensor<1x2x2x3xui8>, %b: tensor<1x2x2x5xui8>) -> tensor<1x2x2x8xui8> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %other = nn.constant dense<0.25> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %a, %scale, %zero : tensor<1x2x2x3xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %b, %other, %zero : tensor<1x2x2x5xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.concat %0, %1 {axis = 3} : tensor<1x2x2x3xf32>, tensor<1x2x2x5xf32>
  %3 = nn.quantize %2, %scale, %zero : tensor<1x2x2x8xf32>, tensor<f32>, tensor<ui8>
  return %3 : tensor<1x2x2x8xui8>
}

// -----

// Each part becomes codes in its own way behind a bound, too: steps of the result's codes here, and a scaled sum there, whose cells stay
// bytes. The bound is that of both.

// CHECK-LABEL: func.func @bounded(
// CHECK-SAME:    %[[A:[^ :]+]]: tensor<1x2x2x2xui8>, %[[B:[^ :]+]]: tensor<1x4x4x2xui8>)
// CHECK:         nn.conv %[[B]], %{{.*}} : tensor<1x4x4x2xui8>, tensor<3x3x1x2xi8>
// CHECK:         %[[PART:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<1x2x2x2xf32> to tensor<1x2x2x2xui8>
// CHECK:         %[[AVERAGES:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<1x2x2x2xf32> to tensor<1x2x2x2xui8>
// CHECK-NEXT:    %[[Y:[^ ,:()]+]] = nn.concat %[[PART]], %[[AVERAGES]] {axis = 1 : i64} : tensor<1x2x2x2xui8>, tensor<1x2x2x2xui8>
// CHECK-NEXT:    return %[[Y]]
func.func @bounded(%a: tensor<1x2x2x2xui8>, %b: tensor<1x4x4x2xui8>) -> tensor<1x4x2x2xui8> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %a, %scale, %zero : tensor<1x2x2x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %b, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.pool average %1 {count_padding, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, overhang = array<i64: 0, 0>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x4x4x2xf32>
  %3 = nn.concat %0, %2 {axis = 1} : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
  %4 = nn.unary relu %3 : tensor<1x4x2x2xf32>
  %5 = nn.quantize %4, %scale, %zero : tensor<1x4x2x2xf32>, tensor<f32>, tensor<ui8>
  return %5 : tensor<1x4x2x2xui8>
}
