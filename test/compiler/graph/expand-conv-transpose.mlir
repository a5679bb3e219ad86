// RUN: nacre-opt %s --nacre-expand-conv-transpose --nacre-fold-constants --canonicalize --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-expand-conv-transpose="only-quantized" --nacre-simplify-graph --nacre-fold-constants \
// RUN:   --nacre-recognize-quantized --nacre-expand-quantization --nacre-fold-constants --canonicalize --split-input-file \
// RUN:   | FileCheck %s --check-prefix=QUANTIZED

// The example of the pass's documentation: 2 elements become 4. Each phase has one tap of the two, and the bias is added
// before the phases are interleaved.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x2x2xf32>)
// CHECK-DAG:     %[[W0:[^ ,:()]+]] = nn.constant dense<1.000000e+00> : tensor<1x2x8xf32>
// CHECK-DAG:     %[[W1:[^ ,:()]+]] = nn.constant dense<2.000000e+00> : tensor<1x2x8xf32>
// CHECK-DAG:     %[[B:[^ ,:()]+]] = nn.constant dense<5.000000e+00> : tensor<8xf32>
// CHECK:         %[[Y0:[^ ,:()]+]] = nn.conv %[[X]], %[[W0]] {{.*}}strides = array<i64: 1>
// CHECK:         %[[Y1:[^ ,:()]+]] = nn.conv %[[X]], %[[W1]]
// CHECK:         %[[Z0:[^ ,:()]+]] = nn.binary add %[[Y0]], %[[B]] : tensor<1x2x8xf32>, tensor<8xf32>
// CHECK:         %[[Z1:[^ ,:()]+]] = nn.binary add %[[Y1]], %[[B]]
// CHECK:         %[[Z:[^ ,:()]+]] = nn.interleave %[[Z0]], %[[Z1]] {strides = array<i64: 1, 2, 1>}
// CHECK:         return %[[Z]] : tensor<1x4x8xf32>
func.func @documented_example(%x: tensor<1x2x2xf32>) -> tensor<1x4x8xf32> {
  %one = nn.constant dense<1.0> : tensor<1x2x8xf32>
  %two = nn.constant dense<2.0> : tensor<1x2x8xf32>
  %w = nn.concat %one, %two {axis = 0 : i64} : tensor<1x2x8xf32>, tensor<1x2x8xf32>
  %b = nn.constant dense<5.0> : tensor<8xf32>
  %y = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : tensor<1x2x2xf32>, tensor<2x2x8xf32>
  %z = nn.binary add %y, %b : tensor<1x4x8xf32>, tensor<8xf32>
  return %z : tensor<1x4x8xf32>
}

// -----

// Four taps in steps of two: the first phase reads the element before its own, the second the one behind it.

// CHECK-LABEL: func.func @each_phase_reads_its_neighbours(
// CHECK:         %[[P0:[^ ,:()]+]] = nn.pad constant %{{.*}} [0, 1, 0] [0, 0, 0] 0.000000e+00
// CHECK:         %[[Y0:[^ ,:()]+]] = nn.conv %[[P0]], %{{.*}} : tensor<1x9x16xf32>, tensor<2x16x32xf32>
// CHECK:         %[[P1:[^ ,:()]+]] = nn.pad constant %{{.*}} [0, 0, 0] [0, 1, 0] 0.000000e+00
// CHECK:         %[[Y1:[^ ,:()]+]] = nn.conv %[[P1]], %{{.*}} : tensor<1x9x16xf32>, tensor<2x16x32xf32>
// CHECK:         nn.interleave %[[Y0]], %[[Y1]] {strides = array<i64: 1, 2, 1>} : tensor<1x8x32xf32>, tensor<1x8x32xf32>
func.func @each_phase_reads_its_neighbours(%x: tensor<1x8x16xf32>, %w: tensor<4x16x32xf32>) -> tensor<1x16x32xf32> {
  %y = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64}
      : tensor<1x8x16xf32>, tensor<4x16x32xf32>
  return %y : tensor<1x16x32xf32>
}

// -----

// x * sigmoid(x) follows into the phases although x is read twice.

// CHECK-LABEL: func.func @a_diamond_moves_too(
// CHECK-COUNT-2: nn.unary sigmoid %{{.*}} : tensor<1x8x32xf32>
// CHECK-COUNT-2: nn.binary mul %{{.*}} : tensor<1x8x32xf32>, tensor<1x8x32xf32>
// CHECK:         %[[Y:[^ ,:()]+]] = nn.interleave
// CHECK-NEXT:    return %[[Y]]
func.func @a_diamond_moves_too(%x: tensor<1x8x16xf32>, %w: tensor<2x16x32xf32>) -> tensor<1x16x32xf32> {
  %y = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : tensor<1x8x16xf32>, tensor<2x16x32xf32>
  %s = nn.unary sigmoid %y : tensor<1x16x32xf32>
  %z = nn.binary mul %y, %s : tensor<1x16x32xf32>, tensor<1x16x32xf32>
  return %z : tensor<1x16x32xf32>
}

// -----

// A sum with a tensor that differs from phase to phase stays whole.

// CHECK-LABEL: func.func @a_residual_stays(
// CHECK:         %[[Y:[^ ,:()]+]] = nn.interleave
// CHECK-NEXT:    nn.binary add %[[Y]], %{{.*}} : tensor<1x16x32xf32>, tensor<1x16x32xf32>
func.func @a_residual_stays(%x: tensor<1x8x16xf32>, %w: tensor<2x16x32xf32>, %r: tensor<1x16x32xf32>) -> tensor<1x16x32xf32> {
  %y = nn.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : tensor<1x8x16xf32>, tensor<2x16x32xf32>
  %z = nn.binary add %y, %r : tensor<1x16x32xf32>, tensor<1x16x32xf32>
  return %z : tensor<1x16x32xf32>
}

// -----

// Of stride 1 there is one phase: the filter backwards.

// CHECK-LABEL: func.func @one_phase(
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<{{\[\[}}[3.000000e+00]], {{\[}}[2.000000e+00]], {{\[}}[1.000000e+00]]]>
// CHECK-DAG:     %[[P:[^ ,:()]+]] = nn.pad constant %{{.*}} [0, 1, 0] [0, 1, 0]
// CHECK:         %[[Y:[^ ,:()]+]] = nn.conv %[[P]], %[[W]]
// CHECK-NEXT:    return %[[Y]]
func.func @one_phase(%x: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %w = nn.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %y = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64}
      : tensor<1x8x1xf32>, tensor<3x1x1xf32>
  return %y : tensor<1x8x1xf32>
}

// -----

// Of one channel, a column for each of the 4 x 4 phases: one convolution, whose result is put in order. Taps that a phase
// does not have are zeros.

// CHECK-LABEL: func.func @few_channels_become_columns(
// CHECK:         %[[Y:[^ ,:()]+]] = nn.conv %{{.*}} : tensor<1x10x10x8xf32>, tensor<2x2x8x16xf32>
// CHECK:         %[[R:[^ ,:()]+]] = nn.reshape %[[Y]] : tensor<1x9x9x16xf32> to tensor<1x9x9x1x4x4x1xf32>
// CHECK:         %[[T:[^ ,:()]+]] = nn.transpose %[[R]] [0, 1, 4, 2, 5, 3, 6]
// CHECK:         %[[Z:[^ ,:()]+]] = nn.reshape %[[T]] : {{.*}} to tensor<1x36x36x1xf32>
// CHECK:         nn.slice %[[Z]] [0, 2, 2, 0] [1, 32, 32, 1] [1, 1, 1, 1]
func.func @few_channels_become_columns(%x: tensor<1x8x8x8xf32>, %w: tensor<7x7x8x1xf32>) -> tensor<1x32x32x1xf32> {
  %y = nn.conv_transpose %x, %w {strides = array<i64: 4, 4>, pads = array<i64: 2, 2, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : tensor<1x8x8x8xf32>, tensor<7x7x8x1xf32>
  return %y : tensor<1x32x32x1xf32>
}

// -----

// Of a quantized network, phases are convolutions of its codes; a sum or a product would be expanded later.

// QUANTIZED-LABEL: func.func @quantized(
// QUANTIZED-COUNT-2: nn.conv %{{.*}}, %{{.*}} : tensor<1x4x3xui8>, tensor<1x3x5xi8>
// QUANTIZED-COUNT-2: nn.cast %{{.*}} : tensor<1x4x5xf32> to tensor<1x4x5xui8>
// QUANTIZED:         nn.interleave %{{.*}} : tensor<1x4x5xui8>, tensor<1x4x5xui8>
// QUANTIZED:         nn.conv_transpose
func.func @quantized(%x: tensor<1x4x3xui8>, %y: tensor<1x4x3xf32>, %w: tensor<2x3x5xf32>) -> (tensor<1x8x5xui8>, tensor<1x8x5xf32>) {
  %filter = nn.constant dense<3> : tensor<2x3x5xi8>
  %scales = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %none = nn.constant dense<0> : tensor<i8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x4x3xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %filter, %scales, %none {axis = 2} : tensor<2x3x5xi8>, tensor<5xf32>, tensor<i8>
  %2 = nn.conv_transpose %0, %1 {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1}
      : tensor<1x4x3xf32>, tensor<2x3x5xf32>
  %3 = nn.quantize %2, %scale, %zero : tensor<1x8x5xf32>, tensor<f32>, tensor<ui8>
  %4 = nn.conv_transpose %y, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1}
      : tensor<1x4x3xf32>, tensor<2x3x5xf32>
  return %3, %4 : tensor<1x8x5xui8>, tensor<1x8x5xf32>
}
