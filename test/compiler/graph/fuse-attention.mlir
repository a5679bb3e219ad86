// RUN: nacre-opt %s --nacre-assign-engine --nacre-fuse-attention --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-fuse-attention=most-keys=7 --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: nacre-opt %s --nacre-fuse-attention=most-keys-on-gpu=7 --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: nacre-opt %s --nacre-fuse-attention --split-input-file | FileCheck %s --check-prefix=FLOATS

// The example of the pass's documentation: scaled, and masked.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[Q:[^ :]+]]: tensor<2x4x3xf32>, %[[K:[^ :]+]]: tensor<2x3x8xf32>, %[[V:[^ :]+]]: tensor<2x8x5xf32>, %[[M:[^ :]+]]: tensor<8xf32>)
// CHECK-NEXT:    %[[A:[^ ,:()]+]] = nn.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] {scale = 1.250000e-01 : f64}
// CHECK-NEXT:    return %[[A]]
// FEW-LABEL: func.func @documented_example(
// FEW-NOT:     nn.attention
func.func @documented_example(%q: tensor<2x4x3xf32>, %k: tensor<2x3x8xf32>, %v: tensor<2x8x5xf32>, %mask: tensor<8xf32>) -> tensor<2x4x5xf32> {
  %eight = nn.constant dense<8.0> : tensor<f32>
  %0 = nn.matmul %q, %k : tensor<2x4x3xf32>, tensor<2x3x8xf32>
  %1 = nn.binary div %0, %eight : tensor<2x4x8xf32>, tensor<f32>
  %2 = nn.binary add %1, %mask : tensor<2x4x8xf32>, tensor<8xf32>
  %3 = nn.softmax %2 {axis = 2 : i64} : tensor<2x4x8xf32>
  %4 = nn.matmul %3, %v : tensor<2x4x8xf32>, tensor<2x8x5xf32>
  return %4 : tensor<2x4x5xf32>
}

// -----

// Neither a factor nor a mask; heads share keys and values.

// CHECK-LABEL: func.func @plain(
// CHECK-NEXT:    nn.attention %arg0, %arg1, %arg2 {scale = 1.000000e+00 : f64} : tensor<6x4x3xf32>, tensor<3x8xf32>, tensor<8x5xf32>
func.func @plain(%q: tensor<6x4x3xf32>, %k: tensor<3x8xf32>, %v: tensor<8x5xf32>) -> tensor<6x4x5xf32> {
  %0 = nn.matmul %q, %k : tensor<6x4x3xf32>, tensor<3x8xf32>
  %1 = nn.softmax %0 {axis = 2 : i64} : tensor<6x4x8xf32>
  %2 = nn.matmul %1, %v : tensor<6x4x8xf32>, tensor<8x5xf32>
  return %2 : tensor<6x4x5xf32>
}

// -----

// Somebody else reads the weights; the softmax is along another axis; its scores are no product.

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     nn.attention
// CHECK:         return
func.func @others(%q: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = nn.matmul %q, %v : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<4x4xf32>
  %2 = nn.matmul %1, %v : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = nn.matmul %v, %q : tensor<4x4xf32>, tensor<4x4xf32>
  %4 = nn.softmax %3 {axis = 0 : i64} : tensor<4x4xf32>
  %5 = nn.matmul %4, %v : tensor<4x4xf32>, tensor<4x4xf32>
  %6 = nn.softmax %q {axis = 1 : i64} : tensor<4x4xf32>
  %7 = nn.matmul %6, %v : tensor<4x4xf32>, tensor<4x4xf32>
  return %1, %2, %5, %7 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Values of more batches than scores would compute these again for each.

// CHECK-LABEL: func.func @more_values(
// CHECK-NOT:     nn.attention
// CHECK:         return
func.func @more_values(%q: tensor<4x3xf32>, %k: tensor<3x8xf32>, %v: tensor<2x8x5xf32>) -> tensor<2x4x5xf32> {
  %0 = nn.matmul %q, %k : tensor<4x3xf32>, tensor<3x8xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<4x8xf32>
  %2 = nn.matmul %1, %v : tensor<4x8xf32>, tensor<2x8x5xf32>
  return %2 : tensor<2x4x5xf32>
}

// -----

// Codes: sums of rows and columns are zero points, keys had their sign flipped, and the transpose behind goes before what makes codes.

// CHECK-LABEL: func.func @codes(
// CHECK:         %[[A:[^ ]+]] = nn.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} {scale = 1.250000e-01 : f64, weight_scale = 3.906250e-03 : f64, zeros = array<i64: 120, -3, 0, 5>} : tensor<2x4x4xui8>, tensor<2x4x8xi8>, tensor<2x8x5xi8>, tensor<8xf32>
// CHECK-NEXT:    %[[T:[^ ]+]] = nn.transpose %[[A]] [1, 0, 2] : tensor<2x4x5xi32>
// CHECK-NEXT:    %[[F:[^ ]+]] = nn.cast %[[T]] : tensor<4x2x5xi32> to tensor<4x2x5xf32>
// CHECK-NEXT:    %[[C:[^ ]+]] = nn.cast %[[F]] : tensor<4x2x5xf32> to tensor<4x2x5xi8>
// CHECK-NEXT:    return %[[C]]
// FEW-LABEL: func.func @codes(
// FEW-NOT:     nn.attention
// FLOATS-LABEL: func.func @codes(
// FLOATS-NOT:     nn.attention
func.func @codes(%x: tensor<4x2x4xui8>, %k: tensor<8x2x4xi8>, %v: tensor<2x8x5xi8>, %mask: tensor<8xf32>) -> tensor<4x2x5xi8> {
  %q = nn.transpose %x [1, 0, 2] : tensor<4x2x4xui8>
  %kt = nn.transpose %k [1, 2, 0] : tensor<8x2x4xi8>
  %product = nn.matmul %q, %kt : tensor<2x4x4xui8>, tensor<2x4x8xi8>

  // The sums of rows, times the keys' zero point, -3; of columns, of codes 128 more, times the queries', 120.
  %xw = nn.cast %x : tensor<4x2x4xui8> to tensor<4x2x4xi32>
  %xs = nn.reduce sum %xw {axes = array<i64: 2>, keep_dims} : tensor<4x2x4xi32>
  %xt = nn.transpose %xs [1, 0, 2] : tensor<4x2x1xi32>
  %depthzero = nn.constant dense<-480> : tensor<i32>
  %rows = nn.binary add %xt, %depthzero : tensor<2x4x1xi32>, tensor<i32>
  %keyzero = nn.constant dense<-3> : tensor<i32>
  %rowterm = nn.binary mul %rows, %keyzero : tensor<2x4x1xi32>, tensor<i32>
  %first = nn.binary sub %product, %rowterm : tensor<2x4x8xi32>, tensor<2x4x1xi32>
  %kw = nn.cast %k : tensor<8x2x4xi8> to tensor<8x2x4xi32>
  %half = nn.constant dense<128> : tensor<i32>
  %ku = nn.binary add %kw, %half : tensor<8x2x4xi32>, tensor<i32>
  %ks = nn.reduce sum %ku {axes = array<i64: 2>, keep_dims} : tensor<8x2x4xi32>
  %kst = nn.transpose %ks [1, 2, 0] : tensor<8x2x1xi32>
  %depthhalf = nn.constant dense<-512> : tensor<i32>
  %columns = nn.binary add %kst, %depthhalf : tensor<2x1x8xi32>, tensor<i32>
  %queryzero = nn.constant dense<120> : tensor<i32>
  %columnterm = nn.binary mul %columns, %queryzero : tensor<2x1x8xi32>, tensor<i32>
  %sums = nn.binary sub %first, %columnterm : tensor<2x4x8xi32>, tensor<2x1x8xi32>

  %reals = nn.cast %sums : tensor<2x4x8xi32> to tensor<2x4x8xf32>
  %scale = nn.constant dense<0.125> : tensor<f32>
  %scaled = nn.binary mul %reals, %scale : tensor<2x4x8xf32>, tensor<f32>
  %scores = nn.binary add %scaled, %mask : tensor<2x4x8xf32>, tensor<8xf32>
  %weights = nn.softmax %scores {axis = 2 : i64} : tensor<2x4x8xf32>
  %step = nn.constant dense<0.00390625> : tensor<f32>
  %steps = nn.binary div %weights, %step : tensor<2x4x8xf32>, tensor<f32>
  %rounded = nn.unary round %steps : tensor<2x4x8xf32>
  %low = nn.unary relu %rounded : tensor<2x4x8xf32>
  %most = nn.constant dense<255.0> : tensor<f32>
  %fits = nn.binary min %low, %most : tensor<2x4x8xf32>, tensor<f32>
  %codes = nn.cast %fits : tensor<2x4x8xf32> to tensor<2x4x8xui8>

  %weighted = nn.matmul %codes, %v : tensor<2x4x8xui8>, tensor<2x8x5xi8>
  %cw = nn.cast %codes : tensor<2x4x8xui8> to tensor<2x4x8xi32>
  %cs = nn.reduce sum %cw {axes = array<i64: 2>, keep_dims} : tensor<2x4x8xi32>
  %valuezero = nn.constant dense<5> : tensor<i32>
  %valueterm = nn.binary mul %cs, %valuezero : tensor<2x4x1xi32>, tensor<i32>
  %result = nn.binary sub %weighted, %valueterm : tensor<2x4x5xi32>, tensor<2x4x1xi32>
  %y = nn.cast %result : tensor<2x4x5xi32> to tensor<2x4x5xf32>
  %z = nn.cast %y : tensor<2x4x5xf32> to tensor<2x4x5xi8>
  %t = nn.transpose %z [1, 0, 2] : tensor<2x4x5xi8>
  return %t : tensor<4x2x5xi8>
}

// -----

// What is added is not what zero points would add: a constant is missing.

// CHECK-LABEL: func.func @other_sums(
// CHECK-NOT:     nn.attention
// CHECK:         return
func.func @other_sums(%q: tensor<4x4xui8>, %k: tensor<4x8xi8>, %v: tensor<8x5xi8>) -> tensor<4x5xi32> {
  %product = nn.matmul %q, %k : tensor<4x4xui8>, tensor<4x8xi8>
  %three = nn.constant dense<3> : tensor<i32>
  %sums = nn.binary add %product, %three : tensor<4x8xi32>, tensor<i32>
  %reals = nn.cast %sums : tensor<4x8xi32> to tensor<4x8xf32>
  %weights = nn.softmax %reals {axis = 1 : i64} : tensor<4x8xf32>
  %step = nn.constant dense<0.00390625> : tensor<f32>
  %steps = nn.binary div %weights, %step : tensor<4x8xf32>, tensor<f32>
  %rounded = nn.unary round %steps : tensor<4x8xf32>
  %low = nn.unary relu %rounded : tensor<4x8xf32>
  %most = nn.constant dense<255.0> : tensor<f32>
  %fits = nn.binary min %low, %most : tensor<4x8xf32>, tensor<f32>
  %codes = nn.cast %fits : tensor<4x8xf32> to tensor<4x8xui8>
  %weighted = nn.matmul %codes, %v : tensor<4x8xui8>, tensor<8x5xi8>
  return %weighted : tensor<4x5xi32>
}
