// RUN: nacre-opt --nacre-hoist-products --nacre-resolve-control --split-input-file %s | FileCheck %s

// A cell joins its input and its state before one product. The input's part moves out, with the bias; the state's is left.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%xs: tensor<10x2x3xf32>, %h0: tensor<2x4xf32>, %w: tensor<7x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK-DAG: %[[WX:[^ ,:()]+]] = nn.slice %arg2 [0, 0] [3, 4] [1, 1]
  // CHECK-DAG: %[[WH:[^ ,:()]+]] = nn.slice %arg2 [3, 0] [4, 4] [1, 1]
  // CHECK: %[[X:[^ ,:()]+]] = nn.reshape %arg0 : tensor<10x2x3xf32> to tensor<20x3xf32>
  // CHECK-NEXT: %[[P:[^ ,:()]+]] = nn.matmul %[[X]], %[[WX]]
  // CHECK: %[[B:[^ ,:()]+]] = nn.binary add %[[P]], %arg3
  // CHECK-NEXT: %[[S:[^ ,:()]+]] = nn.reshape %[[B]] : tensor<20x4xf32> to tensor<10x2x4xf32>
  // CHECK-NEXT: nn.for 10 carried(%arg1 : tensor<2x4xf32>) scanned(%[[S]] : tensor<10x2x4xf32>) -> (tensor<2x4xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<2x4xf32>, %[[ROW:[^ ,:()]+]]: tensor<2x4xf32>):
  // CHECK-NEXT: %[[Q:[^ ,:()]+]] = nn.matmul %[[H]], %[[WH]]
  // CHECK-NEXT: %[[SUM:[^ ,:()]+]] = nn.binary add %[[ROW]], %[[Q]]
  // CHECK-NEXT: nn.unary tanh %[[SUM]]
  %last = nn.for 10 carried(%h0 : tensor<2x4xf32>) scanned(%xs : tensor<10x2x3xf32>) -> (tensor<2x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x4xf32>, %x: tensor<2x3xf32>):
    %joined = nn.concat %x, %h {axis = 1} : tensor<2x3xf32>, tensor<2x4xf32>
    %p = nn.matmul %joined, %w : tensor<2x7xf32>, tensor<7x4xf32>
    %s = nn.binary add %p, %b : tensor<2x4xf32>, tensor<4xf32>
    %t = nn.unary tanh %s : tensor<2x4xf32>
    nn.yield %t : tensor<2x4xf32>
  }
  return %last : tensor<2x4xf32>
}

// -----

// Two products beside one another, and the bias on the input's; rows are vectors.
// CHECK-LABEL: func.func @rows_of_one_axis(
func.func @rows_of_one_axis(%xs: tensor<10x3xf32>, %h0: tensor<1x4xf32>, %w: tensor<3x4xf32>, %u: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[P:[^ ,:()]+]] = nn.matmul %{{.*}}, %arg2 : tensor<10x3xf32>, tensor<3x4xf32>
  // CHECK: %[[B:[^ ,:()]+]] = nn.binary add %[[P]], %arg4 : tensor<10x4xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[S:[^ ,:()]+]] = nn.reshape %[[B]] : tensor<10x4xf32> to tensor<10x1x4xf32>
  // CHECK-NEXT: nn.for 10 carried(%arg1 : tensor<1x4xf32>) scanned(%[[S]] : tensor<10x1x4xf32>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: nn.matmul
  // CHECK-NEXT: nn.binary add
  // CHECK-NEXT: nn.yield
  %last = nn.for 10 carried(%h0 : tensor<1x4xf32>) scanned(%xs : tensor<10x3xf32>) -> (tensor<1x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<1x4xf32>, %x: tensor<3xf32>):
    %row = nn.reshape %x : tensor<3xf32> to tensor<1x3xf32>
    %p = nn.matmul %row, %w : tensor<1x3xf32>, tensor<3x4xf32>
    %s = nn.binary add %p, %b : tensor<1x4xf32>, tensor<4xf32>
    %q = nn.matmul %h, %u : tensor<1x4xf32>, tensor<4x4xf32>
    %t = nn.binary add %s, %q : tensor<1x4xf32>, tensor<1x4xf32>
    nn.yield %t : tensor<1x4xf32>
  }
  return %last : tensor<1x4xf32>
}

// -----

// A product of what is carried stays, and one in halves is not split, since each part would be rounded.
// CHECK-LABEL: func.func @stay_inside(
func.func @stay_inside(%xs: tensor<10x2x3xf16>, %h0: tensor<2x4xf16>, %w: tensor<7x4xf16>) -> tensor<2x4xf16> {
  // CHECK: nn.for 10
  // CHECK: nn.concat
  // CHECK-NEXT: nn.matmul
  %last = nn.for 10 carried(%h0 : tensor<2x4xf16>) scanned(%xs : tensor<10x2x3xf16>) -> (tensor<2x4xf16>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x4xf16>, %x: tensor<2x3xf16>):
    %joined = nn.concat %x, %h {axis = 1} : tensor<2x3xf16>, tensor<2x4xf16>
    %p = nn.matmul %joined, %w : tensor<2x7xf16>, tensor<7x4xf16>
    nn.yield %p : tensor<2x4xf16>
  }
  return %last : tensor<2x4xf16>
}

// -----

// 50 MiB of products are slower to write and to read again than the input's small matrix in each iteration: a joined product stays.
// CHECK-LABEL: func.func @more_than_a_cache_holds(
func.func @more_than_a_cache_holds(%xs: tensor<100x64x6xf32>, %h0: tensor<64x2048xf32>, %w: tensor<2054x2048xf32>) -> tensor<64x2048xf32> {
  // CHECK: nn.for 100 carried(%arg1 : tensor<64x2048xf32>) scanned(%arg0 : tensor<100x64x6xf32>)
  // CHECK: nn.concat
  // CHECK-NEXT: nn.matmul %{{.*}}, %arg2
  %last = nn.for 100 carried(%h0 : tensor<64x2048xf32>) scanned(%xs : tensor<100x64x6xf32>) -> (tensor<64x2048xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<64x2048xf32>, %x: tensor<64x6xf32>):
    %joined = nn.concat %x, %h {axis = 1} : tensor<64x6xf32>, tensor<64x2048xf32>
    %p = nn.matmul %joined, %w : tensor<64x2054xf32>, tensor<2054x2048xf32>
    nn.yield %p : tensor<64x2048xf32>
  }
  return %last : tensor<64x2048xf32>
}
