// RUN: nacre-opt %s --nacre-simplify-graph --nacre-recognize-quantized --nacre-expand-quantization --nacre-fold-constants \
// RUN:   --nacre-simplify-graph --canonicalize --split-input-file | FileCheck %s

// The example of the pass's documentation. The columns of the weights sum to 4 and 6, so that the zero point 2 subtracts 8 and 12, and the
// biases 10 and 20 stay 2 and 8. The scale is 0.5 * [2, 4] / 8. A relu is the lower bound 3, the code of 0.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4x2xui8>)
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8>
// CHECK-DAG:     %[[C:[^ ,:()]+]] = nn.constant dense<[2, 8]> : tensor<2xi32>
// CHECK-DAG:     %[[S:[^ ,:()]+]] = nn.constant dense<[1.250000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-DAG:     %[[Z:[^ ,:()]+]] = nn.constant dense<3.000000e+00> : tensor<f32>
// CHECK-DAG:     %[[HIGH:[^ ,:()]+]] = nn.constant dense<2.550000e+02> : tensor<f32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.matmul %[[X]], %[[W]] : tensor<4x2xui8>, tensor<2x2xi8>
// CHECK-NEXT:    %[[B:[^ ,:()]+]] = nn.binary add %[[P]], %[[C]]
// CHECK-NEXT:    %[[F:[^ ,:()]+]] = nn.cast %[[B]] : tensor<4x2xi32> to tensor<4x2xf32>
// CHECK-NEXT:    %[[M:[^ ,:()]+]] = nn.binary mul %[[F]], %[[S]]
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary round %[[M]]
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.binary add %[[R]], %[[Z]]
// CHECK-NEXT:    %[[L:[^ ,:()]+]] = nn.binary max %[[A]], %[[Z]]
// CHECK-NEXT:    %[[H:[^ ,:()]+]] = nn.binary min %[[L]], %[[HIGH]]
// CHECK-NEXT:    %[[Y:[^ ,:()]+]] = nn.cast %[[H]] : tensor<4x2xf32> to tensor<4x2xui8>
// CHECK-NEXT:    return %[[Y]]
func.func @documented_example(%x: tensor<4x2xui8>) -> tensor<4x2xui8> {
  %w = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %ws = nn.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %wz = nn.constant dense<0> : tensor<i8>
  %b = nn.constant dense<[10, 20]> : tensor<2xi32>
  %bs = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %bz = nn.constant dense<0> : tensor<i32>
  %xs = nn.constant dense<0.5> : tensor<f32>
  %xz = nn.constant dense<2> : tensor<ui8>
  %ys = nn.constant dense<8.0> : tensor<f32>
  %yz = nn.constant dense<3> : tensor<ui8>
  %0 = nn.dequantize %x, %xs, %xz : tensor<4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %w, %ws, %wz {axis = 1} : tensor<2x2xi8>, tensor<2xf32>, tensor<i8>
  %2 = nn.dequantize %b, %bs, %bz {axis = 0} : tensor<2xi32>, tensor<2xf32>, tensor<i32>
  %3 = nn.matmul %0, %1 : tensor<4x2xf32>, tensor<2x2xf32>
  %4 = nn.binary add %3, %2 : tensor<4x2xf32>, tensor<2xf32>
  %5 = nn.unary relu %4 : tensor<4x2xf32>
  %6 = nn.quantize %5, %ys, %yz : tensor<4x2xf32>, tensor<f32>, tensor<ui8>
  return %6 : tensor<4x2xui8>
}

// -----

// A convolution's padding is the zero point. Unsigned weights with the zero point 128 are the same bytes with a sign; the columns sum to
// 9 * (130 - 128) = 18. Without a quantization the result is real. A bias in floats is rounded to multiples of the sums' scale: 0, 1, 1 and 2.

// CHECK-LABEL: func.func @convolution(
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<2> : tensor<3x3x1x4xi8>
// CHECK-DAG:     %[[C:[^ ,:()]+]] = nn.constant dense<[-90, -89, -89, -88]> : tensor<4xi32>
// CHECK-DAG:     %[[S:[^ ,:()]+]] = nn.constant dense<2.500000e-01> : tensor<f32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.conv %{{.*}}, %[[W]] {{.*}}pad_value = 5 : i64{{.*}} : tensor<1x4x4x1xui8>, tensor<3x3x1x4xi8>
// CHECK-NEXT:    %[[B:[^ ,:()]+]] = nn.binary add %[[P]], %[[C]]
// CHECK-NEXT:    %[[F:[^ ,:()]+]] = nn.cast %[[B]]
// CHECK-NEXT:    %[[M:[^ ,:()]+]] = nn.binary mul %[[F]], %[[S]]
// CHECK-NEXT:    return %[[M]]
func.func @convolution(%x: tensor<1x4x4x1xui8>) -> tensor<1x4x4x4xf32> {
  %w = nn.constant dense<130> : tensor<3x3x1x4xui8>
  %ws = nn.constant dense<0.5> : tensor<4xf32>
  %wz = nn.constant dense<128> : tensor<4xui8>
  %xs = nn.constant dense<0.5> : tensor<f32>
  %xz = nn.constant dense<5> : tensor<ui8>
  %b = nn.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  %0 = nn.dequantize %x, %xs, %xz : tensor<1x4x4x1xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %w, %ws, %wz {axis = 3} : tensor<3x3x1x4xui8>, tensor<4xf32>, tensor<4xui8>
  %2 = nn.conv %0, %1 {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x4x4x1xf32>, tensor<3x3x1x4xf32>
  %3 = nn.binary add %2, %b : tensor<1x4x4x4xf32>, tensor<4xf32>
  return %3 : tensor<1x4x4x4xf32>
}

// -----

// Weights that no byte holds once they are centred keep their zero point, 200 - 128 = 72, which the sum of each row is multiplied by:
// sum xw - 72 (sum x - 2 * 7) - 7 * sum w.

// CHECK-LABEL: func.func @general_zero(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4x2xui8>)
// CHECK-DAG:     %[[W:[^ ,:()]+]] = nn.constant dense<{{\[\[}}-128, -127], [127, -126]]> : tensor<2x2xi8>
// CHECK-DAG:     %[[K:[^ ,:()]+]] = nn.constant dense<-14> : tensor<i32>
// CHECK-DAG:     %[[ZERO:[^ ,:()]+]] = nn.constant dense<72> : tensor<i32>
// CHECK-DAG:     %[[C:[^ ,:()]+]] = nn.constant dense<[7, 1771]> : tensor<2xi32>
// CHECK:         %[[P:[^ ,:()]+]] = nn.matmul %[[X]], %[[W]] : tensor<4x2xui8>, tensor<2x2xi8>
// CHECK:         %[[ROWS:[^ ,:()]+]] = nn.reduce sum %{{.*}} {axes = array<i64: 1>, keep_dims} : tensor<4x2xi32>
// CHECK-NEXT:    %[[CENTRED:[^ ,:()]+]] = nn.binary add %[[ROWS]], %[[K]]
// CHECK-NEXT:    %[[TERM:[^ ,:()]+]] = nn.binary mul %[[CENTRED]], %[[ZERO]]
// CHECK-NEXT:    %[[SUMS:[^ ,:()]+]] = nn.binary sub %[[P]], %[[TERM]]
// CHECK-NEXT:    nn.binary add %[[SUMS]], %[[C]]
func.func @general_zero(%x: tensor<4x2xui8>) -> tensor<4x2xf32> {
  %w = nn.constant dense<[[0, 1], [255, 2]]> : tensor<2x2xui8>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %wz = nn.constant dense<200> : tensor<ui8>
  %xz = nn.constant dense<7> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %xz : tensor<4x2xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %w, %scale, %wz : tensor<2x2xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.matmul %0, %1 : tensor<4x2xf32>, tensor<2x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// Both operands of an attention's product are computed by the model: the right one gets a sign, and its columns are added up in the run,
// before it is transposed and without the 8 * 128 that the sign takes away.

// CHECK-LABEL: func.func @two_activations(
// CHECK-SAME:    %[[A:[^ :]+]]: tensor<2x4x8xui8>, %[[B:[^ :]+]]: tensor<2x3x8xui8>)
// CHECK-DAG:     %[[K:[^ ,:()]+]] = nn.constant dense<-1024> : tensor<i32>
// CHECK:         %[[T:[^ ,:()]+]] = nn.transpose %[[B]] [0, 2, 1]
// CHECK:         %[[FLIP:[^ ,:()]+]] = nn.binary xor %[[T]], %{{.*}} : tensor<2x8x3xui8>, tensor<ui8>
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.bitcast %[[FLIP]] : tensor<2x8x3xui8> to tensor<2x8x3xi8>
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.matmul %[[A]], %[[R]] : tensor<2x4x8xui8>, tensor<2x8x3xi8>
// CHECK-NEXT:    %[[WIDE:[^ ,:()]+]] = nn.cast %[[B]] : tensor<2x3x8xui8> to tensor<2x3x8xi32>
// CHECK-NEXT:    %[[COLUMNS:[^ ,:()]+]] = nn.reduce sum %[[WIDE]] {axes = array<i64: 2>, keep_dims} : tensor<2x3x8xi32>
// CHECK-NEXT:    %[[ROW:[^ ,:()]+]] = nn.reshape %[[COLUMNS]] : tensor<2x3x1xi32> to tensor<2x1x3xi32>
// CHECK-NEXT:    %[[UNSIGNED:[^ ,:()]+]] = nn.binary add %[[ROW]], %[[K]]
// CHECK-NEXT:    %[[TERM:[^ ,:()]+]] = nn.binary mul %[[UNSIGNED]], %{{.*}}
// CHECK-NEXT:    nn.binary sub %[[P]], %[[TERM]]
func.func @two_activations(%a: tensor<2x4x8xui8>, %b: tensor<2x3x8xui8>) -> tensor<2x4x3xf32> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %az = nn.constant dense<9> : tensor<ui8>
  %bz = nn.constant dense<128> : tensor<ui8>
  %0 = nn.dequantize %a, %scale, %az : tensor<2x4x8xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %b, %scale, %bz : tensor<2x3x8xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.transpose %1 [0, 2, 1] : tensor<2x3x8xf32>
  %3 = nn.matmul %0, %2 : tensor<2x4x8xf32>, tensor<2x8x3xf32>
  return %3 : tensor<2x4x3xf32>
}

// -----

// Layers that stay in floats are listed with the reason.

// CHECK-LABEL: func.func @in_floats(
// CHECK-SAME:    nn.in_floats = [
// CHECK-SAME:      "the model does not quantize its operands"
// CHECK-SAME:      "only its weights are quantized"
// CHECK-SAME:      "its sums can exceed 32 bits"
// CHECK-SAME:      "its weights have a scale or zero point that is not constant, or is not one per output channel"
// CHECK-SAME:    nn.in_integers = []
// CHECK-COUNT-4: nn.matmul {{.*}}xf32>, {{.*}}xf32>
func.func @in_floats(%x: tensor<4x2xui8>, %y: tensor<4x2xf32>, %z: tensor<1x70000xui8>)
    -> (tensor<4x4xf32>, tensor<4x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>) {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<ui8>
  %wz = nn.constant dense<0> : tensor<i8>
  %w = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %rows = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %long = nn.constant dense<3> : tensor<70000x2xi8>
  %0 = nn.dequantize %w, %scale, %wz : tensor<2x2xi8>, tensor<f32>, tensor<i8>
  %1 = nn.transpose %y [1, 0] : tensor<4x2xf32>
  %2 = nn.matmul %y, %1 : tensor<4x2xf32>, tensor<2x4xf32>
  %3 = nn.matmul %y, %0 : tensor<4x2xf32>, tensor<2x2xf32>
  %4 = nn.dequantize %z, %scale, %zero : tensor<1x70000xui8>, tensor<f32>, tensor<ui8>
  %5 = nn.dequantize %long, %scale, %wz : tensor<70000x2xi8>, tensor<f32>, tensor<i8>
  %6 = nn.matmul %4, %5 : tensor<1x70000xf32>, tensor<70000x2xf32>
  %7 = nn.dequantize %x, %scale, %zero : tensor<4x2xui8>, tensor<f32>, tensor<ui8>
  %8 = nn.dequantize %w, %rows, %wz {axis = 0} : tensor<2x2xi8>, tensor<2xf32>, tensor<i8>
  %9 = nn.matmul %7, %8 : tensor<4x2xf32>, tensor<2x2xf32>
  return %2, %3, %6, %9 : tensor<4x4xf32>, tensor<4x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>
}

// -----

// What a layer computes is rounded before it is moved; what reads reals converts them after a pool. One kernel transposes and rounds the
// model's input.

// CHECK-LABEL: func.func @moved(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x3x4x4xf32>)
// CHECK:         %[[T:[^ ,:()]+]] = nn.transpose %[[X]] [0, 2, 3, 1] : tensor<1x3x4x4xf32>
// CHECK:         nn.binary div %[[T]]
// CHECK:         nn.conv {{.*}} : tensor<1x4x4x3xui8>, tensor<1x1x3x2xi8>
// CHECK:         %[[Q:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<1x4x4x2xf32> to tensor<1x4x4x2xui8>
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.pool max %[[Q]] {{.*}} : tensor<1x4x4x2xui8>
// CHECK-NEXT:    %[[F:[^ ,:()]+]] = nn.cast %[[P]] : tensor<1x2x2x2xui8> to tensor<1x2x2x2xf32>
// CHECK:         nn.lrn
func.func @moved(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x2x2xf32> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<7> : tensor<ui8>
  %none = nn.constant dense<0> : tensor<i8>
  %w = nn.constant dense<3> : tensor<1x1x3x2xi8>
  %0 = nn.quantize %x, %scale, %zero : tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>
  %1 = nn.dequantize %0, %scale, %zero : tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8>
  %2 = nn.transpose %1 [0, 2, 3, 1] : tensor<1x3x4x4xf32>
  %3 = nn.dequantize %w, %scale, %none : tensor<1x1x3x2xi8>, tensor<f32>, tensor<i8>
  %4 = nn.conv %2, %3 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1} : tensor<1x4x4x3xf32>, tensor<1x1x3x2xf32>
  %5 = nn.quantize %4, %scale, %zero : tensor<1x4x4x2xf32>, tensor<f32>, tensor<ui8>
  %6 = nn.dequantize %5, %scale, %zero : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>
  %7 = nn.pool max %6 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x2xf32>
  %8 = nn.lrn %7 {size = 5, alpha = 1.0e-4, beta = 0.75, bias = 1.0} : tensor<1x2x2x2xf32>
  return %8 : tensor<1x2x2x2xf32>
}

// -----

// A value that is moved in two ways is moved as bytes both times, and multiplied as such.

// CHECK-LABEL: func.func @moved_twice(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x24xui8>)
// CHECK:         %[[ROWS:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<1x24xui8> to tensor<2x4x3xui8>
// CHECK:         %[[COLUMNS:[^ ,:()]+]] = nn.transpose %[[ROWS]] [0, 2, 1] : tensor<2x4x3xui8>
// CHECK:         nn.matmul %[[ROWS]], %{{.*}} : tensor<2x4x3xui8>, tensor<2x3x4xi8>
func.func @moved_twice(%x: tensor<1x24xui8>) -> tensor<2x4x4xf32> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<128> : tensor<ui8>
  %0 = nn.dequantize %x, %scale, %zero : tensor<1x24xui8>, tensor<f32>, tensor<ui8>
  %1 = nn.reshape %0 : tensor<1x24xf32> to tensor<2x4x3xf32>
  %2 = nn.transpose %1 [0, 2, 1] : tensor<2x4x3xf32>
  %3 = nn.matmul %1, %2 : tensor<2x4x3xf32>, tensor<2x3x4xf32>
  return %3 : tensor<2x4x4xf32>
}
