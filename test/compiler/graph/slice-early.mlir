// RUN: nacre-opt %s --nacre-slice-early --split-input-file | FileCheck %s

// The example of the pass's documentation: one row of what is multiplied and normalized.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x8x4xf32>
// CHECK:         %[[R:[^ ]+]] = nn.slice %[[X]] [0, 0, 0] [1, 1, 4] [1, 1, 1]
// CHECK:         %[[P:[^ ]+]] = nn.matmul %[[R]], %{{.*}} : tensor<1x1x4xf32>, tensor<4x4xf32>
// CHECK:         %[[S:[^ ]+]] = nn.binary add %[[P]], %[[R]] : tensor<1x1x4xf32>
// CHECK:         %[[N:[^ ]+]] = nn.normalize %[[S]] {{.*}} : tensor<1x1x4xf32>
// CHECK-NEXT:    return %[[N]]
func.func @documented_example(%x: tensor<1x8x4xf32>) -> tensor<1x1x4xf32> {
  %w = nn.constant dense<0.5> : tensor<4x4xf32>
  %p = nn.matmul %x, %w : tensor<1x8x4xf32>, tensor<4x4xf32>
  %s = nn.binary add %p, %x : tensor<1x8x4xf32>, tensor<1x8x4xf32>
  %n = nn.normalize %s {axes = array<i64: 2>, epsilon = 1.0e-5} : tensor<1x8x4xf32>
  %r = nn.slice %n [0, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<1x8x4xf32>
  return %r : tensor<1x1x4xf32>
}

// -----

// Of attention the queries and the rows of the mask, through heads and their transposes; keys and values as they are.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:[^ :]+]]: tensor<1x8x6xf32>, %[[K:[^ :]+]]: tensor<1x2x3x8xf32>, %[[V:[^ :]+]]: tensor<1x2x8x3xf32>, %[[M:[^ :]+]]: tensor<8x8xf32>
// CHECK-DAG:     %[[MASK:[^ ]+]] = nn.slice %[[M]] [5, 0] [2, 8] [1, 1]
// CHECK-DAG:     %[[ROWS:[^ ]+]] = nn.slice %[[Q]] [0, 5, 0] [1, 2, 6] [1, 1, 1]
// CHECK:         %[[H:[^ ]+]] = nn.reshape %[[ROWS]] : tensor<1x2x6xf32> to tensor<1x2x2x3xf32>
// CHECK:         %[[T:[^ ]+]] = nn.transpose %[[H]] [0, 2, 1, 3]
// CHECK:         %[[S:[^ ]+]] = nn.matmul %[[T]], %[[K]]
// CHECK:         %[[A:[^ ]+]] = nn.binary add %[[S]], %[[MASK]] : tensor<1x2x2x8xf32>, tensor<2x8xf32>
// CHECK:         %[[P:[^ ]+]] = nn.softmax %[[A]]
// CHECK:         %[[W:[^ ]+]] = nn.matmul %[[P]], %[[V]]
// CHECK:         %[[B:[^ ]+]] = nn.transpose %[[W]] [0, 2, 1, 3]
// CHECK:         nn.reshape %[[B]] : tensor<1x2x2x3xf32> to tensor<1x2x6xf32>
func.func @attention(%q: tensor<1x8x6xf32>, %k: tensor<1x2x3x8xf32>, %v: tensor<1x2x8x3xf32>, %mask: tensor<8x8xf32>) -> tensor<1x2x6xf32> {
  %0 = nn.reshape %q : tensor<1x8x6xf32> to tensor<1x8x2x3xf32>
  %1 = nn.transpose %0 [0, 2, 1, 3] : tensor<1x8x2x3xf32>
  %2 = nn.matmul %1, %k : tensor<1x2x8x3xf32>, tensor<1x2x3x8xf32>
  %3 = nn.binary add %2, %mask : tensor<1x2x8x8xf32>, tensor<8x8xf32>
  %4 = nn.softmax %3 {axis = 3 : i64} : tensor<1x2x8x8xf32>
  %5 = nn.matmul %4, %v : tensor<1x2x8x8xf32>, tensor<1x2x8x3xf32>
  %6 = nn.transpose %5 [0, 2, 1, 3] : tensor<1x2x8x3xf32>
  %7 = nn.reshape %6 : tensor<1x8x2x3xf32> to tensor<1x8x6xf32>
  %8 = nn.slice %7 [0, 5, 0] [1, 2, 6] [1, 1, 1] : tensor<1x8x6xf32>
  return %8 : tensor<1x2x6xf32>
}

// -----

// Whatever else reads a value needs all of it; the slice stands below it.

// CHECK-LABEL: func.func @read_elsewhere(
// CHECK:         %[[P:[^ ]+]] = nn.matmul %arg0
// CHECK:         %[[R:[^ ]+]] = nn.slice %[[P]] [3, 0] [1, 4] [1, 1]
// CHECK:         nn.normalize %[[R]] {{.*}} : tensor<1x4xf32>
func.func @read_elsewhere(%x: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  %w = nn.constant dense<0.5> : tensor<4x4xf32>
  %p = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
  %n = nn.normalize %p {axes = array<i64: 1>, epsilon = 1.0e-5} : tensor<8x4xf32>
  %r = nn.slice %n [3, 0] [1, 4] [1, 1] : tensor<8x4xf32>
  return %r, %p : tensor<1x4xf32>, tensor<8x4xf32>
}

// -----

// Columns of a product, most of the rows, rows that normalization meets in, and rows of what shares a kernel with a sum: nothing moves.

// CHECK-LABEL: func.func @stays(
// CHECK:         nn.matmul %arg0, %{{.*}} : tensor<8x4xf32>, tensor<4x4xf32>
// CHECK:         nn.slice %{{.*}} [0, 0] [8, 1]
// CHECK:         nn.slice %{{.*}} [0, 0] [7, 4]
// CHECK:         nn.normalize %{{.*}} : tensor<8x4xf32>
// CHECK:         nn.slice
// CHECK:         nn.reduce
// CHECK-NEXT:    nn.unary
// CHECK-NEXT:    nn.normalize
// CHECK-NEXT:    nn.slice
func.func @stays(%x: tensor<8x4xf32>, %z: tensor<8x4x2xf32>) -> (tensor<8x1xf32>, tensor<7x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %w = nn.constant dense<0.5> : tensor<4x4xf32>
  %v = nn.constant dense<0.25> : tensor<4x4xf32>
  %p = nn.matmul %x, %w : tensor<8x4xf32>, tensor<4x4xf32>
  %columns = nn.slice %p [0, 0] [8, 1] [1, 1] : tensor<8x4xf32>
  %q = nn.matmul %x, %v : tensor<8x4xf32>, tensor<4x4xf32>
  %most = nn.slice %q [0, 0] [7, 4] [1, 1] : tensor<8x4xf32>
  %n = nn.normalize %x {axes = array<i64: 0>, epsilon = 1.0e-5} : tensor<8x4xf32>
  %row = nn.slice %n [0, 0] [1, 4] [1, 1] : tensor<8x4xf32>
  %s = nn.reduce sum %z {axes = array<i64: 2>} : tensor<8x4x2xf32>
  %t = nn.unary tanh %s : tensor<8x4xf32>
  %m = nn.normalize %t {axes = array<i64: 1>, epsilon = 1.0e-5} : tensor<8x4xf32>
  %other = nn.slice %m [0, 0] [1, 4] [1, 1] : tensor<8x4xf32>
  return %columns, %most, %row, %other : tensor<8x1xf32>, tensor<7x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// A sum of each row, whose axis stays, is of the same rows; so are the same bits as another type.

// CHECK-LABEL: func.func @sums(
// CHECK:         %[[R:[^ ]+]] = nn.slice %arg0 [0, 0] [1, 4] [1, 1]
// CHECK-NEXT:    %[[B:[^ ]+]] = nn.bitcast %[[R]] : tensor<1x4xi32> to tensor<1x4xf32>
// CHECK-NEXT:    nn.reduce sum %[[B]] {axes = array<i64: 1>, keep_dims} : tensor<1x4xf32>
// CHECK:         nn.normalize %{{.*}} : tensor<1x4xf32>
func.func @sums(%bits: tensor<8x4xi32>) -> tensor<1x4xf32> {
  %x = nn.bitcast %bits : tensor<8x4xi32> to tensor<8x4xf32>
  %s = nn.reduce sum %x {axes = array<i64: 1>, keep_dims} : tensor<8x4xf32>
  %t = nn.binary sub %x, %s : tensor<8x4xf32>, tensor<8x1xf32>
  %m = nn.normalize %t {axes = array<i64: 1>, epsilon = 1.0e-5} : tensor<8x4xf32>
  %row = nn.slice %m [0, 0] [1, 4] [1, 1] : tensor<8x4xf32>
  return %row : tensor<1x4xf32>
}

// -----

// Of one operator, too. Queries stay at their positions: the rows before the slice are added to the offset.

// CHECK-LABEL: func.func @whole_attention(
// CHECK-DAG:     %[[Q:[^ ]+]] = nn.slice %arg0 [0, 5, 0] [2, 2, 3]
// CHECK-DAG:     %[[M:[^ ]+]] = nn.slice %arg3 [5, 0] [2, 8]
// CHECK-DAG:     %[[ROWS:[^ ]+]] = nn.constant dense<5> : tensor<i32>
// CHECK-DAG:     %[[AT:[^ ]+]] = nn.binary add %arg4, %[[ROWS]]
// CHECK:         %[[Y:[^ ]+]] = nn.attention %[[Q]], %arg1, %arg2 mask %[[M]] offset %[[AT]] {behind = 0 : i64, scale = 1.000000e+00 : f64}
// CHECK-NEXT:    return %[[Y]]
func.func @whole_attention(%q: tensor<2x8x3xf32>, %k: tensor<2x3x8xf32>, %v: tensor<2x8x3xf32>, %mask: tensor<8x8xf32>, %past: tensor<i32>) -> tensor<2x2x3xf32> {
  %0 = nn.attention %q, %k, %v mask %mask offset %past {behind = 0 : i64, scale = 1.0 : f64}
    : tensor<2x8x3xf32>, tensor<2x3x8xf32>, tensor<2x8x3xf32>, tensor<8x8xf32>, tensor<i32>
  %1 = nn.slice %0 [0, 5, 0] [2, 2, 3] [1, 1, 1] : tensor<2x8x3xf32>
  return %1 : tensor<2x2x3xf32>
}
