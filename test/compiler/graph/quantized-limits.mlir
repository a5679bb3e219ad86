// RUN: nacre-opt %s --nacre-simplify-graph --nacre-recognize-quantized --split-input-file | FileCheck %s

// Sums of products with 255 * -128 each, at most 2^31 - 1: 65,793 of them fit, one more does not.

// CHECK-LABEL: func.func @signed_weights(
// CHECK-SAME:    nn.in_floats = [{{.*}}"its sums can exceed 32 bits"{{.*}}], nn.in_integers = [#loc{{[0-9]*}}]
// CHECK:         nn.matmul {{.*}} : tensor<1x65793xui8>, tensor<65793x2xi8>
// CHECK:         nn.matmul {{.*}} : tensor<1x65794xf32>, tensor<65794x2xf32>
func.func @signed_weights(%x: tensor<1x65793xui8>, %y: tensor<1x65794xui8>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %none = nn.constant dense<0> : tensor<i8>
  %v = nn.constant dense<3> : tensor<65793x2xi8>
  %w = nn.constant dense<3> : tensor<65794x2xi8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x65793xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %v, %scale, %none : tensor<65793x2xi8>, tensor<f32>, tensor<i8>
  %2 = nn.matmul %0, %1 : tensor<1x65793xf32>, tensor<65793x2xf32>
  %3 = nn.dequantize %y, %scale, %zero : tensor<1x65794xui8>, tensor<f32>, tensor<ui8>
  %4 = nn.dequantize %w, %scale, %none : tensor<65794x2xi8>, tensor<f32>, tensor<i8>
  %5 = nn.matmul %3, %4 : tensor<1x65794xf32>, tensor<65794x2xf32>
  return %2, %5 : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// A zero point in the middle halves them: 128 * 255 of the left operand; unsigned weights with the zero point 0 are 255 * 255.

// CHECK-LABEL: func.func @unsigned_weights(
// CHECK-SAME:    nn.in_floats = [{{.*}}"its sums can exceed 32 bits"{{.*}}], nn.in_integers = [#loc{{[0-9]*}}]
// CHECK:         nn.matmul {{.*}} : tensor<1x40000xui8>, tensor<40000x2xi8>
// CHECK:         nn.matmul {{.*}} : tensor<1x40000xf32>, tensor<40000x2xf32>
func.func @unsigned_weights(%x: tensor<1x40000xui8>, %w: tensor<40000x2xui8>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %middle = nn.constant dense<128> : tensor<ui8>
  %0 = nn.dequantize %w, %scale, %zero : tensor<40000x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %x, %scale, %middle : tensor<1x40000xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.matmul %1, %0 : tensor<1x40000xf32>, tensor<40000x2xf32>
  %3 = nn.dequantize %x, %scale, %zero : tensor<1x40000xui8>, tensor<f32>, tensor<ui8>
  %4 = nn.matmul %3, %0 : tensor<1x40000xf32>, tensor<40000x2xf32>
  return %2, %4 : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// Two products are at most 65,280, so that a bias of 2^31 - 1 - 65,280 is one of the sums. Another of 1 is then none any more, nor is a larger
// one.

// CHECK-LABEL: func.func @large_biases(
// CHECK:         %[[P:[^ ,:()]+]] = nn.matmul {{.*}}xui8>, {{.*}}xi8>
// CHECK-NEXT:    nn.binary add %[[P]], %{{.*}} : tensor<1x2xi32>, tensor<i32>
// CHECK:         nn.binary add {{.*}} : tensor<1x2xf32>, tensor<2xf32>
// CHECK:         nn.matmul {{.*}}xui8>, {{.*}}xi8>
// CHECK-NOT:     xi32>, tensor<i32>
// CHECK:         nn.binary add {{.*}} : tensor<1x2xf32>, tensor<2xf32>
func.func @large_biases(%x: tensor<1x2xui8>, %y: tensor<1x2xui8>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %both = nn.constant dense<0.25> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %none = nn.constant dense<0> : tensor<i8>
  %nil = nn.constant dense<0> : tensor<i32>
  %w = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %fits = nn.constant dense<2147418367> : tensor<2xi32>
  %one = nn.constant dense<1> : tensor<2xi32>
  %exceeds = nn.constant dense<2147418368> : tensor<2xi32>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %w, %scale, %none : tensor<2x2xi8>, tensor<f32>, tensor<i8>
  %2 = nn.dequantize %fits, %both, %nil : tensor<2xi32>, tensor<f32>, tensor<i32>
  %3 = nn.dequantize %one, %both, %nil : tensor<2xi32>, tensor<f32>, tensor<i32>
  %4 = nn.dequantize %exceeds, %both, %nil : tensor<2xi32>, tensor<f32>, tensor<i32>
  %5 = nn.matmul %0, %1 : tensor<1x2xf32>, tensor<2x2xf32>
  %6 = nn.binary add %5, %2 : tensor<1x2xf32>, tensor<2xf32>
  %7 = nn.binary add %6, %3 : tensor<1x2xf32>, tensor<2xf32>
  %8 = nn.dequantize %y, %scale, %zero : tensor<1x2xui8>, tensor<f32>, tensor<ui8>
  %9 = nn.matmul %8, %1 : tensor<1x2xf32>, tensor<2x2xf32>
  %10 = nn.binary add %9, %4 : tensor<1x2xf32>, tensor<2xf32>
  return %7, %10 : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// Filters that the model computes are added up over all their taps, before they are transposed.

// CHECK-LABEL: func.func @computed_filters(
// CHECK-SAME:    %{{.*}}: tensor<1x4x4x2xui8>, %[[W:[^ :]+]]: tensor<3x2x3x3xi8>)
// CHECK:         %[[C:[^ ,:()]+]] = nn.conv {{.*}}pad_value = 5 : i64{{.*}} : tensor<1x4x4x2xui8>, tensor<3x3x2x3xi8>
// CHECK:         %[[WIDE:[^ ,:()]+]] = nn.cast %[[W]] : tensor<3x2x3x3xi8> to tensor<3x2x3x3xi32>
// CHECK-NEXT:    %[[SUMS:[^ ,:()]+]] = nn.reduce sum %[[WIDE]] {axes = array<i64: 1, 2, 3>, keep_dims} : tensor<3x2x3x3xi32>
// CHECK-NEXT:    %[[TURNED:[^ ,:()]+]] = nn.transpose %[[SUMS]] [2, 3, 1, 0] : tensor<3x1x1x1xi32>
// CHECK-NEXT:    %[[TERM:[^ ,:()]+]] = nn.binary mul %[[TURNED]], %{{.*}} : tensor<1x1x1x3xi32>, tensor<i32>
// CHECK-NEXT:    nn.binary sub %[[C]], %[[TERM]] : tensor<1x4x4x3xi32>, tensor<1x1x1x3xi32>
func.func @computed_filters(%x: tensor<1x4x4x2xui8>, %w: tensor<3x2x3x3xi8>) -> tensor<1x4x4x3xf32> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<5> : tensor<ui8>
  %none = nn.constant dense<0> : tensor<i8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %w, %scale, %none : tensor<3x2x3x3xi8>, tensor<f32>, tensor<i8>
  %2 = nn.transpose %1 [2, 3, 1, 0] : tensor<3x2x3x3xf32>
  %3 = nn.conv %0, %2 {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>
  return %3 : tensor<1x4x4x3xf32>
}
