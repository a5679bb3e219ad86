// RUN: nacre-opt %s --nacre-simplify-graph --cse --nacre-fold-constants --nacre-propagate-layouts --nacre-permute-weights --nacre-simplify-graph --nacre-fold-constants | FileCheck %s
// RUN: nacre-opt %s --nacre-graph | FileCheck %s --check-prefix=GRAPH

// A channels-first network as quantizers write it: each operator between a dequantization and a quantization. Where integers are looked
// for, channels are last, each layer reads dequantized codes directly, weights are codes in the order of their layer, and what only moves
// elements moves codes.

// CHECK-LABEL: func.func @network(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x2x4x4xui8>)
// CHECK-DAG:     %[[FILTER:[^ ,:()]+]] = nn.dequantize %{{.*}}, %{{.*}}, %{{.*}} {axis = 3 : i64} : tensor<1x1x2x3xi8>, tensor<3xf32>, tensor<i8>
// CHECK-DAG:     %[[BIAS:[^ ,:()]+]] = nn.dequantize %{{.*}}, %{{.*}}, %{{.*}} {axis = {{[0-9]}} : i64} : tensor<{{.*}}3xi32>, tensor<3xf32>, tensor<i32>
// CHECK-DAG:     %[[ROWS:[^ ,:()]+]] = nn.dequantize %{{.*}}, %{{.*}}, %{{.*}} : tensor<12x5xi8>, tensor<f32>, tensor<i8>
// CHECK-DAG:     %[[LAST:[^ ,:()]+]] = nn.transpose %[[X]] [0, 2, 3, 1] : tensor<1x2x4x4xui8>
// CHECK-DAG:     %[[IMAGE:[^ ,:()]+]] = nn.dequantize %[[LAST]]
// CHECK-DAG:     %[[CONV:[^ ,:()]+]] = nn.conv %[[IMAGE]], %[[FILTER]]
// CHECK-DAG:     %[[SUM:[^ ,:()]+]] = nn.binary add %[[CONV]], %[[BIAS]]
// CHECK-DAG:     %[[CODES:[^ ,:()]+]] = nn.quantize %[[SUM]]
// CHECK-DAG:     %[[POOL:[^ ,:()]+]] = nn.pool max %[[CODES]] {{.*}} : tensor<1x4x4x3xui8>
// CHECK-DAG:     %[[FLAT:[^ ,:()]+]] = nn.reshape %[[POOL]] : tensor<1x2x2x3xui8> to tensor<1x12xui8>
// CHECK-DAG:     %[[VECTOR:[^ ,:()]+]] = nn.dequantize %[[FLAT]]
// CHECK:         %[[FC:[^ ,:()]+]] = nn.matmul %[[VECTOR]], %[[ROWS]]
// CHECK:         nn.quantize %[[FC]]

// GRAPH-LABEL: func.func @network(
// GRAPH-NOT:     quantize
// GRAPH:         nn.conv %{{.*}}, %{{.*}} : tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>
// GRAPH:         nn.matmul %{{.*}}, %{{.*}} : tensor<1x12xf32>, tensor<12x5xf32>
// GRAPH-NOT:     quantize
// GRAPH:         return
func.func @network(%x: tensor<1x2x4x4xui8>) -> tensor<1x5xui8> {
  %sx = nn.constant dense<0.02> : tensor<f32>
  %zx = nn.constant dense<128> : tensor<ui8>
  %sw = nn.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
  %zw = nn.constant dense<0> : tensor<i8>
  %sb = nn.constant dense<[0.002, 0.004, 0.006]> : tensor<3xf32>
  %zb = nn.constant dense<0> : tensor<i32>
  %sy = nn.constant dense<0.05> : tensor<f32>
  %sv = nn.constant dense<0.01> : tensor<f32>
  %weights = nn.constant dense<[[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]]]> : tensor<3x2x1x1xi8>
  %biases = nn.constant dense<[100, 200, 300]> : tensor<3xi32>
  %rows = nn.constant dense<7> : tensor<5x12xi8>

  %image = nn.dequantize %x, %sx, %zx : tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>
  %w = nn.dequantize %weights, %sw, %zw {axis = 0} : tensor<3x2x1x1xi8>, tensor<3xf32>, tensor<i8>
  %b = nn.dequantize %biases, %sb, %zb {axis = 0} : tensor<3xi32>, tensor<3xf32>, tensor<i32>
  %last = nn.transpose %image [0, 2, 3, 1] : tensor<1x2x4x4xf32>
  %hwio = nn.transpose %w [2, 3, 1, 0] : tensor<3x2x1x1xf32>
  %conv = nn.conv %last, %hwio {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1}
      : tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>
  %first = nn.transpose %conv [0, 3, 1, 2] : tensor<1x4x4x3xf32>
  %channels = nn.reshape %b : tensor<3xf32> to tensor<3x1x1xf32>
  %sum = nn.binary add %first, %channels : tensor<1x3x4x4xf32>, tensor<3x1x1xf32>
  %q = nn.quantize %sum, %sy, %zx : tensor<1x3x4x4xf32>, tensor<f32>, tensor<ui8>

  %y = nn.dequantize %q, %sy, %zx : tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8>
  %last2 = nn.transpose %y [0, 2, 3, 1] : tensor<1x3x4x4xf32>
  %pool = nn.pool max %last2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x3xf32>
  %first2 = nn.transpose %pool [0, 3, 1, 2] : tensor<1x2x2x3xf32>
  %q2 = nn.quantize %first2, %sy, %zx : tensor<1x3x2x2xf32>, tensor<f32>, tensor<ui8>

  %y2 = nn.dequantize %q2, %sy, %zx : tensor<1x3x2x2xui8>, tensor<f32>, tensor<ui8>
  %flat = nn.reshape %y2 : tensor<1x3x2x2xf32> to tensor<1x12xf32>
  %q3 = nn.quantize %flat, %sy, %zx : tensor<1x12xf32>, tensor<f32>, tensor<ui8>

  %y3 = nn.dequantize %q3, %sy, %zx : tensor<1x12xui8>, tensor<f32>, tensor<ui8>
  %v = nn.dequantize %rows, %sv, %zw : tensor<5x12xi8>, tensor<f32>, tensor<i8>
  %io = nn.transpose %v [1, 0] : tensor<5x12xf32>
  %fc = nn.matmul %y3, %io : tensor<1x12xf32>, tensor<12x5xf32>
  %q4 = nn.quantize %fc, %sy, %zx : tensor<1x5xf32>, tensor<f32>, tensor<ui8>
  return %q4 : tensor<1x5xui8>
}
