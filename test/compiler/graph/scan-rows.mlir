// RUN: nacre-opt --nacre-scan-rows --nacre-resolve-control --canonicalize --split-input-file %s | FileCheck %s

// A row is picked by the counter, and another written: one is scanned, the other stacked.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%xs: tensor<5x4xf32>, %before: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // CHECK-NEXT: %[[ALL:[^ ,:()]+]] = nn.for 5 scanned(%arg0 : tensor<5x4xf32>) -> (tensor<5x4xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[X:[^ ,:()]+]]: tensor<4xf32>):
  // CHECK-NEXT: %[[E:[^ ,:()]+]] = nn.unary exp %[[X]]
  // CHECK-NEXT: nn.yield stacked(%[[E]] : tensor<4xf32>)
  // CHECK: return %[[ALL]]
  %all = nn.for 5 carried(%before : tensor<5x4xf32>) -> (tensor<5x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %rows: tensor<5x4xf32>):
    %x = nn.gather %xs, %iteration {axis = 0} : tensor<5x4xf32>, tensor<i64>
    %e = nn.unary exp %x : tensor<4xf32>
    %at = nn.reshape %iteration : tensor<i64> to tensor<1xi64>
    %next = nn.scatter_nd set %rows, %at, %e : tensor<5x4xf32>, tensor<1xi64>, tensor<4xf32>
    nn.yield %next : tensor<5x4xf32>
  }
  return %all : tensor<5x4xf32>
}

// -----

// Every second row backwards from row 8: what is read is a slice of these. Three of five rows are written, from 3 downwards.
// CHECK-LABEL: func.func @other_rows(
func.func @other_rows(%xs: tensor<9x4xf32>, %before: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[ROWS:[^ ,:()]+]] = nn.slice %arg0 [8, 0] [3, 4] [-2, 1]
  // CHECK: %[[STACK:[^ ,:()]+]] = nn.for 3 scanned(%[[ROWS]] : tensor<3x4xf32>) -> (tensor<3x4xf32>) {
  // CHECK: %[[FLIPPED:[^ ,:()]+]] = nn.slice %[[STACK]] [2, 0] [3, 4] [-1, 1]
  // CHECK: %[[FIRST:[^ ,:()]+]] = nn.slice %arg1 [0, 0] [1, 4] [1, 1]
  // CHECK: %[[LAST:[^ ,:()]+]] = nn.slice %arg1 [4, 0] [1, 4] [1, 1]
  // CHECK: nn.concat %[[FIRST]], %[[FLIPPED]], %[[LAST]] {axis = 0 : i64}
  %three = nn.constant dense<3> : tensor<i32>
  %eight = nn.constant dense<8> : tensor<i32>
  %two = nn.constant dense<2> : tensor<i32>
  %all = nn.for 3 carried(%before : tensor<5x4xf32>) -> (tensor<5x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %rows: tensor<5x4xf32>):
    %t = nn.cast %iteration : tensor<i64> to tensor<i32>
    %twice = nn.binary mul %t, %two : tensor<i32>, tensor<i32>
    %from = nn.binary sub %eight, %twice : tensor<i32>, tensor<i32>
    %x = nn.gather %xs, %from {axis = 0} : tensor<9x4xf32>, tensor<i32>
    %e = nn.unary exp %x : tensor<4xf32>
    %to = nn.binary sub %three, %t : tensor<i32>, tensor<i32>
    %at = nn.reshape %to : tensor<i32> to tensor<1xi32>
    %next = nn.scatter_nd set %rows, %at, %e : tensor<5x4xf32>, tensor<1xi32>, tensor<4xf32>
    nn.yield %next : tensor<5x4xf32>
  }
  return %all : tensor<5x4xf32>
}

// -----

// A picked column: the axis comes first, once.
// CHECK-LABEL: func.func @other_axis(
func.func @other_axis(%xs: tensor<2x9x4xf32>, %h0: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[SLICE:[^ ,:()]+]] = nn.slice %arg0 [0, 1, 0] [2, 8, 4] [1, 1, 1]
  // CHECK-NEXT: %[[ROWS:[^ ,:()]+]] = nn.transpose %[[SLICE]] [1, 0, 2]
  // CHECK-NEXT: nn.for 8 carried(%arg1 : tensor<2x4xf32>) scanned(%[[ROWS]] : tensor<8x2x4xf32>)
  // CHECK-NOT: nn.gather
  %one = nn.constant dense<1> : tensor<i64>
  %last = nn.for 8 carried(%h0 : tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x4xf32>):
    %at = nn.binary add %iteration, %one : tensor<i64>, tensor<i64>
    %x = nn.gather %xs, %at {axis = 1} : tensor<2x9x4xf32>, tensor<i64>
    %next = nn.binary add %h, %x : tensor<2x4xf32>, tensor<2x4xf32>
    nn.yield %next : tensor<2x4xf32>
  }
  return %last : tensor<2x4xf32>
}

// -----

// An index beyond the rows is clamped, so that a row is read twice; one that is computed is no row of an iteration's own; and an array
// that the loop reads, too, is no stack.
// CHECK-LABEL: func.func @stay_as_they_are(
func.func @stay_as_they_are(%xs: tensor<4x4xf32>, %i: tensor<i64>, %before: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // CHECK: nn.for 5 carried
  // CHECK: nn.gather
  // CHECK: nn.gather
  // CHECK: nn.gather
  // CHECK: nn.scatter_nd
  %all = nn.for 5 carried(%before : tensor<5x4xf32>) -> (tensor<5x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %rows: tensor<5x4xf32>):
    %x = nn.gather %xs, %iteration {axis = 0} : tensor<4x4xf32>, tensor<i64>
    %j = nn.binary add %iteration, %i : tensor<i64>, tensor<i64>
    %y = nn.gather %xs, %j {axis = 0} : tensor<4x4xf32>, tensor<i64>
    %z = nn.gather %rows, %i {axis = 0} : tensor<5x4xf32>, tensor<i64>
    %s = nn.binary add %x, %y : tensor<4xf32>, tensor<4xf32>
    %e = nn.binary add %s, %z : tensor<4xf32>, tensor<4xf32>
    %at = nn.reshape %iteration : tensor<i64> to tensor<1xi64>
    %next = nn.scatter_nd set %rows, %at, %e : tensor<5x4xf32>, tensor<1xi64>, tensor<4xf32>
    nn.yield %next : tensor<5x4xf32>
  }
  return %all : tensor<5x4xf32>
}

// -----

// What the gradient of such a loop does, from the last iteration on: each reads a row of what is carried and clears it, and adds to a
// row of another array. A stack of rows that are scanned is no stack.
// CHECK-LABEL: func.func @in_reverse(
func.func @in_reverse(%dy: tensor<5x4xf32>, %before: tensor<5x4xf32>, %ys: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
  // CHECK: %[[ZERO:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[ALL:[^ ,:()]+]]:2 = nn.for 5 scanned(%arg2, %arg0, %arg1 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) reverse
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[Y:[^ ,:()]+]]: tensor<4xf32>, %[[D:[^ ,:()]+]]: tensor<4xf32>, %[[OLD:[^ ,:()]+]]: tensor<4xf32>):
  // CHECK-NEXT: %[[DX:[^ ,:()]+]] = nn.binary mul %[[D]], %[[Y]]
  // CHECK-NEXT: %[[SUM:[^ ,:()]+]] = nn.binary add %[[OLD]], %[[DX]]
  // CHECK-NEXT: nn.yield stacked(%[[ZERO]], %[[SUM]] : tensor<4xf32>, tensor<4xf32>)
  // CHECK: return %[[ALL]]#0, %[[ALL]]#1, %arg2
  %four = nn.constant dense<4> : tensor<i64>
  %zero = nn.constant dense<0.0> : tensor<1x4xf32>
  %all:3 = nn.for 5 carried(%dy, %before : tensor<5x4xf32>, tensor<5x4xf32>) scanned(%ys : tensor<5x4xf32>) reverse -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %rows: tensor<5x4xf32>, %sums: tensor<5x4xf32>, %y: tensor<4xf32>):
    %from = nn.binary sub %four, %iteration : tensor<i64>, tensor<i64>
    %at = nn.reshape %from : tensor<i64> to tensor<1x1xi64>
    %d = nn.gather %rows, %from {axis = 0} : tensor<5x4xf32>, tensor<i64>
    %cleared = nn.scatter_nd set %rows, %at, %zero : tensor<5x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>
    %dx = nn.binary mul %d, %y : tensor<4xf32>, tensor<4xf32>
    %row = nn.reshape %dx : tensor<4xf32> to tensor<1x4xf32>
    %added = nn.scatter_nd add %sums, %at, %row : tensor<5x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>
    nn.yield %cleared, %added : tensor<5x4xf32>, tensor<5x4xf32> stacked(%y : tensor<4xf32>)
  }
  return %all#0, %all#1, %all#2 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
}

// -----

// A row that another iteration writes is read, so that the array stays carried.
// CHECK-LABEL: func.func @other_row_is_read(
func.func @other_row_is_read(%before: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // CHECK: nn.for 5 carried
  // CHECK: nn.gather
  // CHECK: nn.scatter_nd
  %one = nn.constant dense<1> : tensor<i64>
  %all = nn.for 5 carried(%before : tensor<6x4xf32>) -> (tensor<6x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %rows: tensor<6x4xf32>):
    %x = nn.gather %rows, %iteration {axis = 0} : tensor<6x4xf32>, tensor<i64>
    %e = nn.unary exp %x : tensor<4xf32>
    %to = nn.binary add %iteration, %one : tensor<i64>, tensor<i64>
    %at = nn.reshape %to : tensor<i64> to tensor<1xi64>
    %next = nn.scatter_nd set %rows, %at, %e : tensor<6x4xf32>, tensor<1xi64>, tensor<4xf32>
    nn.yield %next : tensor<6x4xf32>
  }
  return %all : tensor<6x4xf32>
}
