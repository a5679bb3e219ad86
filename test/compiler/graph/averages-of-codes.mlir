// RUN: nacre-opt %s --nacre-simplify-graph --nacre-recognize-quantized --nacre-expand-quantization --nacre-fold-constants \
// RUN:   --nacre-simplify-graph --canonicalize --split-input-file | FileCheck %s

// Averages add up bytes: 16 of an image, or 4 of a window, by a depthwise convolution with ones. The zero point is subtracted as often.

// CHECK-LABEL: func.func @averages(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x4x4x2xui8>)
// CHECK-DAG:     %[[ONES:[^ ,:()]+]] = nn.constant dense<1> : tensor<2x2x1x2xi8>
// CHECK-DAG:     %[[ZERO:[^ ,:()]+]] = nn.constant dense<-112> : tensor<i32>
// CHECK-DAG:     %[[ZEROS:[^ ,:()]+]] = nn.constant dense<-28> : tensor<i32>
// CHECK-DAG:     %[[SCALE:[^ ,:()]+]] = nn.constant dense<3.125000e-02> : tensor<f32>
// CHECK-DAG:     %[[SCALES:[^ ,:()]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK:         %[[WIDE:[^ ,:()]+]] = nn.cast %[[X]] : tensor<1x4x4x2xui8> to tensor<1x4x4x2xi32>
// CHECK-NEXT:    %[[SUM:[^ ,:()]+]] = nn.reduce sum %[[WIDE]] {axes = array<i64: 1, 2>, keep_dims} : tensor<1x4x4x2xi32>
// CHECK-NEXT:    nn.binary add %[[SUM]], %[[ZERO]]
// CHECK:         nn.binary mul %{{.*}}, %[[SCALE]]
// CHECK:         %[[SUMS:[^ ,:()]+]] = nn.conv %[[X]], %[[ONES]] {dilations = array<i64: 1, 1>, groups = 2 : i64, pad_value = 7 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x4x4x2xui8>, tensor<2x2x1x2xi8>
// CHECK-NEXT:    nn.binary add %[[SUMS]], %[[ZEROS]]
// CHECK:         nn.binary mul %{{.*}}, %[[SCALES]]
// CHECK:         nn.cast %{{.*}} : tensor<1x3x3x2xf32> to tensor<1x3x3x2xui8>
func.func @averages(%x: tensor<1x4x4x2xui8>) -> (tensor<1x1x1x2xf32>, tensor<1x3x3x2xui8>) {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %small = nn.constant dense<0.0625> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.reduce mean %0 {axes = array<i64: 1, 2>, keep_dims} : tensor<1x4x4x2xf32>
  %2 = nn.pool average %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>, count_padding} : tensor<1x4x4x2xf32>
  %3 = nn.quantize %2, %small, %zero : tensor<1x3x3x2xf32>, tensor<f32>, tensor<ui8>
  return %1, %3 : tensor<1x1x1x2xf32>, tensor<1x3x3x2xui8>
}

// -----

// Averages that lie in the middle between two codes are added up as f32 does it: row by row, or columns first, around them the zero point.

// CHECK-LABEL: func.func @averages_in_order(
// CHECK-DAG:     %[[COUNT:[^ ,:()]+]] = nn.constant dense<4.000000e+00> : tensor<f32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.pad constant %{{.*}} [0, 1, 1, 0] [0, 1, 1, 0] 7 : ui8
// CHECK-COUNT-4: nn.slice %[[P]] [0, {{[01], [01]}}, 0] [1, 3, 3, 2] [1, 2, 2, 1]
// CHECK:         %[[AVERAGE:[^ ,:()]+]] = nn.binary div %{{.*}}, %[[COUNT]]
// CHECK:         nn.binary div %[[AVERAGE]]
func.func @averages_in_order(%x: tensor<1x4x4x2xui8>) -> tensor<1x3x3x2xui8> {
  %scale = nn.constant dense<0.02> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.pool average %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>, count_padding} : tensor<1x4x4x2xf32>
  %2 = nn.quantize %1, %scale, %zero : tensor<1x3x3x2xf32>, tensor<f32>, tensor<ui8>
  return %2 : tensor<1x3x3x2xui8>
}

// -----

// Interpolation before a quantization is the sum of the neighbours, each times the product of its weights.

// CHECK-LABEL: func.func @interpolation(
// CHECK-COUNT-2: nn.resample %{{.*}} : tensor<2x4xui8>
// CHECK:         nn.binary add
// CHECK:         nn.binary div
func.func @interpolation(%x: tensor<2x4xui8>) -> tensor<3x4xui8> {
  %scale = nn.constant dense<0.02> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<2x4xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.resample %0 {axes = array<i64: 0>, indices = [dense<[[0, 1], [0, 1], [1, 1]]> : tensor<3x2xi32>],
      weights = [dense<[[1.0, 0.0], [0.5, 0.5], [1.0, 0.0]]> : tensor<3x2xf32>]} : tensor<2x4xf32>
  %2 = nn.quantize %1, %scale, %zero : tensor<3x4xf32>, tensor<f32>, tensor<ui8>
  return %2 : tensor<3x4xui8>
}
