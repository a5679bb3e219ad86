// RUN: nacre-opt %s --nacre-assign-engine --nacre-block-rows --split-input-file | FileCheck %s

// A feed-forward block, four times as wide inside: its rows in two halves, whose results are parts of one tensor.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x128x8xf32>
// CHECK:         nn.reshape %[[X]] : tensor<1x128x8xf32> to tensor<128x8xf32>
// CHECK:         %[[A:[^ ]+]] = nn.slice %{{.*}} [0, 0] [64, 8] [1, 1]
// CHECK:         %[[H:[^ ]+]] = nn.matmul %[[A]], %{{.*}} : tensor<64x8xf32>, tensor<8x32xf32>
// CHECK:         %[[R:[^ ]+]] = nn.unary relu %[[H]]
// CHECK:         %[[P:[^ ]+]] = nn.matmul %[[R]], %{{.*}} : tensor<64x32xf32>, tensor<32x8xf32>
// CHECK:         %[[FIRST:[^ ]+]] = nn.binary add %[[P]], %{{.*}} : tensor<64x8xf32>, tensor<64x8xf32>
// CHECK:         nn.slice %{{.*}} [64, 0] [64, 8] [1, 1]
// CHECK:         %[[SECOND:[^ ]+]] = nn.binary add
// CHECK:         %[[ALL:[^ ]+]] = nn.concat %[[FIRST]], %[[SECOND]] {axis = 0 : i64}
// CHECK-NEXT:    nn.reshape %[[ALL]] : tensor<128x8xf32> to tensor<1x128x8xf32>
func.func @documented_example(%x: tensor<1x128x8xf32>) -> tensor<1x128x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %h = nn.matmul %x, %w : tensor<1x128x8xf32>, tensor<8x32xf32>
  %r = nn.unary relu %h : tensor<1x128x32xf32>
  %p = nn.matmul %r, %v : tensor<1x128x32xf32>, tensor<32x8xf32>
  %y = nn.binary add %p, %x : tensor<1x128x8xf32>, tensor<1x128x8xf32>
  return %y : tensor<1x128x8xf32>
}

// -----

// What shares a kernel goes with its product, however often it is read there: x * sigmoid(x).

// CHECK-LABEL: func.func @read_twice(
// CHECK:         nn.matmul %{{.*}} : tensor<99x8xf32>, tensor<8x32xf32>
// CHECK:         nn.unary sigmoid
// CHECK:         nn.binary mul
// CHECK:         nn.matmul
// CHECK:         nn.matmul %{{.*}} : tensor<99x8xf32>, tensor<8x32xf32>
func.func @read_twice(%x: tensor<198x8xf32>) -> tensor<198x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %h = nn.matmul %x, %w : tensor<198x8xf32>, tensor<8x32xf32>
  %s = nn.unary sigmoid %h : tensor<198x32xf32>
  %m = nn.binary mul %h, %s : tensor<198x32xf32>, tensor<198x32xf32>
  %p = nn.matmul %m, %v : tensor<198x32xf32>, tensor<32x8xf32>
  return %p : tensor<198x8xf32>
}

// -----

// Few rows, rows that no blocks of equal size have, and a product that is not much wider, stay; so does one that somebody else reads.

// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     nn.concat
func.func @stays(%x: tensor<64x8xf32>, %z: tensor<128x8xf32>, %odd: tensor<197x8xf32>) -> (tensor<64x8xf32>, tensor<128x8xf32>, tensor<128x8xf32>, tensor<128x32xf32>, tensor<197x8xf32>) {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %n = nn.constant dense<0.5> : tensor<8x16xf32>
  %m = nn.constant dense<0.25> : tensor<16x8xf32>
  %0 = nn.matmul %x, %w : tensor<64x8xf32>, tensor<8x32xf32>
  %1 = nn.matmul %0, %v : tensor<64x32xf32>, tensor<32x8xf32>
  %2 = nn.matmul %z, %n : tensor<128x8xf32>, tensor<8x16xf32>
  %3 = nn.matmul %2, %m : tensor<128x16xf32>, tensor<16x8xf32>
  %4 = nn.matmul %z, %w : tensor<128x8xf32>, tensor<8x32xf32>
  %5 = nn.matmul %4, %v : tensor<128x32xf32>, tensor<32x8xf32>
  %6 = nn.matmul %odd, %w : tensor<197x8xf32>, tensor<8x32xf32>
  %7 = nn.matmul %6, %v : tensor<197x32xf32>, tensor<32x8xf32>
  return %1, %3, %5, %4, %7 : tensor<64x8xf32>, tensor<128x8xf32>, tensor<128x8xf32>, tensor<128x32xf32>, tensor<197x8xf32>
}

// -----

// Of bytes: one product and its normalization, up to the bytes that it becomes, in four parts. What is added is dequantized in each part.

// CHECK-LABEL: func.func @normalized_codes(
// CHECK:         nn.slice %{{.*}} [0, 0] [32, 16] [1, 1] : tensor<128x16xui8>
// CHECK:         nn.matmul %{{.*}} : tensor<32x16xui8>, tensor<16x16xi8>
// CHECK:         nn.cast %{{.*}} : tensor<32x16xui8> to tensor<32x16xf32>
// CHECK:         nn.normalize %{{.*}} {axes = array<i64: 1>{{.*}}} : tensor<32x16xf32>
// CHECK:         nn.cast %{{.*}} : tensor<32x16xf32> to tensor<32x16xui8>
// CHECK:         nn.slice %{{.*}} [96, 0] [32, 16] [1, 1]
// CHECK:         nn.concat %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}} {axis = 0 : i64} : tensor<32x16xui8>
func.func @normalized_codes(%x: tensor<1x128x16xui8>, %other: tensor<1x128x16xui8>) -> tensor<1x128x16xui8> {
  %w = nn.constant dense<5> : tensor<16x16xi8>
  %zero = nn.constant dense<3.0> : tensor<f32>
  %p = nn.matmul %x, %w : tensor<1x128x16xui8>, tensor<16x16xi8>
  %f = nn.cast %p : tensor<1x128x16xi32> to tensor<1x128x16xf32>
  %o = nn.cast %other : tensor<1x128x16xui8> to tensor<1x128x16xf32>
  %d = nn.binary sub %o, %zero : tensor<1x128x16xf32>, tensor<f32>
  %s = nn.binary add %f, %d : tensor<1x128x16xf32>, tensor<1x128x16xf32>
  %n = nn.normalize %s {axes = array<i64: 2>, epsilon = 1.0e-5} : tensor<1x128x16xf32>
  %r = nn.unary round %n : tensor<1x128x16xf32>
  %c = nn.cast %r : tensor<1x128x16xf32> to tensor<1x128x16xui8>
  return %c : tensor<1x128x16xui8>
}

// -----

// Embeddings that become bytes: in halves, each of which looks up its rows.

// CHECK-LABEL: func.func @embeddings(
// CHECK:         nn.slice %{{.*}} [0] [64] [1] : tensor<128xi64>
// CHECK-NEXT:    nn.gather %arg0, %{{.*}} {axis = 0 : i64} : tensor<50x16xf32>, tensor<64xi64>
// CHECK:         nn.normalize %{{.*}} {axes = array<i64: 1>{{.*}}} : tensor<64x16xf32>
// CHECK:         nn.slice %{{.*}} [64] [64] [1] : tensor<128xi64>
// CHECK:         nn.concat %{{[^,]+}}, %{{[^,]+}} {axis = 0 : i64} : tensor<64x16xui8>
func.func @embeddings(%table: tensor<50x16xf32>, %ids: tensor<1x128xi64>) -> tensor<1x128x16xui8> {
  %bias = nn.constant dense<0.5> : tensor<16xf32>
  %g = nn.gather %table, %ids {axis = 0 : i64} : tensor<50x16xf32>, tensor<1x128xi64>
  %s = nn.binary add %g, %bias : tensor<1x128x16xf32>, tensor<16xf32>
  %n = nn.normalize %s {axes = array<i64: 2>, epsilon = 1.0e-5} : tensor<1x128x16xf32>
  %r = nn.unary round %n : tensor<1x128x16xf32>
  %c = nn.cast %r : tensor<1x128x16xf32> to tensor<1x128x16xui8>
  return %c : tensor<1x128x16xui8>
}

// -----

// Bytes are only narrower floats: two products of bytes run by blocks even if no normalization follows them.

// CHECK-LABEL: func.func @two_products_of_bytes(
// CHECK:         nn.matmul %{{.*}} : tensor<32x16xui8>, tensor<16x64xi8>
// CHECK:         nn.cast %{{.*}} : tensor<32x64xf32> to tensor<32x64xui8>
// CHECK:         nn.matmul %{{.*}} : tensor<32x64xui8>, tensor<64x16xi8>
// CHECK:         nn.cast %{{.*}} : tensor<32x16xf32> to tensor<32x16xui8>
// CHECK:         nn.slice %{{.*}} [32, 0] [32, 16] [1, 1]
// CHECK:         nn.concat %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}} {axis = 0 : i64} : tensor<32x16xui8>
func.func @two_products_of_bytes(%x: tensor<128x16xui8>) -> tensor<128x16xui8> {
  %w = nn.constant dense<5> : tensor<16x64xi8>
  %v = nn.constant dense<3> : tensor<64x16xi8>
  %h = nn.matmul %x, %w : tensor<128x16xui8>, tensor<16x64xi8>
  %f = nn.cast %h : tensor<128x64xi32> to tensor<128x64xf32>
  %b = nn.cast %f : tensor<128x64xf32> to tensor<128x64xui8>
  %p = nn.matmul %b, %v : tensor<128x64xui8>, tensor<64x16xi8>
  %g = nn.cast %p : tensor<128x16xi32> to tensor<128x16xf32>
  %y = nn.cast %g : tensor<128x16xf32> to tensor<128x16xui8>
  return %y : tensor<128x16xui8>
}

// -----

// Three products: the tensors in between grow to the third and shrink again, so they are one chain. The normalization after them is as wide as the result, so it stays whole.

// CHECK-LABEL: func.func @grows_and_shrinks(
// CHECK:         nn.matmul %{{.*}} : tensor<64x8xf32>, tensor<8x32xf32>
// CHECK:         nn.matmul %{{.*}} : tensor<64x32xf32>, tensor<32x16xf32>
// CHECK:         nn.matmul %{{.*}} : tensor<64x16xf32>, tensor<16x8xf32>
// CHECK:         %[[ALL:[^ ]+]] = nn.concat
// CHECK-NEXT:    nn.normalize %[[ALL]] {{.*}} : tensor<128x8xf32>
func.func @grows_and_shrinks(%x: tensor<128x8xf32>) -> tensor<128x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x16xf32>
  %u = nn.constant dense<0.125> : tensor<16x8xf32>
  %0 = nn.matmul %x, %w : tensor<128x8xf32>, tensor<8x32xf32>
  %1 = nn.matmul %0, %v : tensor<128x32xf32>, tensor<32x16xf32>
  %2 = nn.matmul %1, %u : tensor<128x16xf32>, tensor<16x8xf32>
  %3 = nn.normalize %2 {axes = array<i64: 1>, epsilon = 1.0e-5} : tensor<128x8xf32>
  return %3 : tensor<128x8xf32>
}

// -----

// What is added is part of the product's kernel, so each block computes its rows of it. A row that is broadcast is computed once, and a row per batch is not.

// CHECK-LABEL: func.func @adds_a_chain(
// CHECK:         %[[ROW:[^ ]+]] = nn.unary exp %{{.*}} : tensor<8xf32>
// CHECK:         %[[LEFT:[^ ]+]] = nn.slice %{{.*}} [0, 0] [64, 8] [1, 1]
// CHECK:         %[[E:[^ ]+]] = nn.unary exp %{{.*}} : tensor<64x8xf32>
// CHECK:         nn.binary add %{{.*}}, %[[E]] : tensor<64x8xf32>
// CHECK:         nn.binary mul %{{.*}}, %[[ROW]] : tensor<64x8xf32>, tensor<8xf32>
// CHECK:         nn.slice %{{.*}} [64, 0] [64, 8] [1, 1]
func.func @adds_a_chain(%x: tensor<128x8xf32>, %z: tensor<128x8xf32>, %row: tensor<8xf32>) -> tensor<128x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %e = nn.unary exp %z : tensor<128x8xf32>
  %r = nn.unary exp %row : tensor<8xf32>
  %h = nn.matmul %x, %w : tensor<128x8xf32>, tensor<8x32xf32>
  %p = nn.matmul %h, %v : tensor<128x32xf32>, tensor<32x8xf32>
  %s = nn.binary add %p, %e : tensor<128x8xf32>, tensor<128x8xf32>
  %y = nn.binary mul %s, %r : tensor<128x8xf32>, tensor<8xf32>
  return %y : tensor<128x8xf32>
}

// CHECK-LABEL: func.func @adds_a_row_for_each_batch(
// CHECK-NOT:     nn.concat
// CHECK:         return
func.func @adds_a_row_for_each_batch(%x: tensor<4x32x8xf32>, %row: tensor<4x1x8xf32>) -> tensor<4x32x8xf32> {
  %w = nn.constant dense<0.5> : tensor<8x32xf32>
  %v = nn.constant dense<0.25> : tensor<32x8xf32>
  %h = nn.matmul %x, %w : tensor<4x32x8xf32>, tensor<8x32xf32>
  %p = nn.matmul %h, %v : tensor<4x32x32xf32>, tensor<32x8xf32>
  %y = nn.binary add %p, %row : tensor<4x32x8xf32>, tensor<4x1x8xf32>
  return %y : tensor<4x32x8xf32>
}

// -----

// A matrix with as many rows as the tensor is read whole.

// CHECK-LABEL: func.func @matrix_of_as_many_rows(
// CHECK:         nn.matmul %{{.*}} : tensor<64x96xf32>, tensor<96x128xf32>
// CHECK:         nn.matmul %{{.*}} : tensor<64x512xf32>, tensor<512x16xf32>
func.func @matrix_of_as_many_rows(%x: tensor<128x96xf32>) -> tensor<128x16xf32> {
  %w = nn.constant dense<0.5> : tensor<96x128xf32>
  %v = nn.constant dense<0.25> : tensor<128x512xf32>
  %u = nn.constant dense<0.25> : tensor<512x16xf32>
  %0 = nn.matmul %x, %w : tensor<128x96xf32>, tensor<96x128xf32>
  %1 = nn.matmul %0, %v : tensor<128x128xf32>, tensor<128x512xf32>
  %2 = nn.matmul %1, %u : tensor<128x512xf32>, tensor<512x16xf32>
  return %2 : tensor<128x16xf32>
}
