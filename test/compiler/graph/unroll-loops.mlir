// RUN: nacre-opt --nacre-unroll-loops --split-input-file %s | FileCheck %s

// Two iterations of one operator, rows from the last to the first.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%h0: tensor<4xf32>, %xs: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  // CHECK-NOT: nn.for
  // CHECK: %[[LAST:[^ ,:()]+]] = nn.slice %arg1 [1, 0] [1, 4] [1, 1]
  // CHECK-NEXT: %[[X1:[^ ,:()]+]] = nn.reshape %[[LAST]]
  // CHECK-NEXT: %[[H1:[^ ,:()]+]] = nn.binary add %arg0, %[[X1]]
  // CHECK: %[[FIRST:[^ ,:()]+]] = nn.slice %arg1 [0, 0] [1, 4] [1, 1]
  // CHECK-NEXT: %[[X0:[^ ,:()]+]] = nn.reshape %[[FIRST]]
  // CHECK-NEXT: %[[H2:[^ ,:()]+]] = nn.binary add %[[H1]], %[[X0]]
  // CHECK-NEXT: %[[R2:[^ ,:()]+]] = nn.reshape %[[H2]]
  // CHECK-NEXT: %[[R1:[^ ,:()]+]] = nn.reshape %[[H1]]
  // CHECK-NEXT: %[[ALL:[^ ,:()]+]] = nn.concat %[[R2]], %[[R1]] {axis = 0 : i64}
  // CHECK-NEXT: return %[[H2]], %[[ALL]]
  %last, %all = nn.for 2 carried(%h0 : tensor<4xf32>) scanned(%xs : tensor<2x4xf32>) reverse -> (tensor<4xf32>, tensor<2x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %x: tensor<4xf32>):
    %sum = nn.binary add %h, %x : tensor<4xf32>, tensor<4xf32>
    nn.yield %sum : tensor<4xf32> stacked(%sum : tensor<4xf32>)
  }
  return %last, %all : tensor<4xf32>, tensor<2x4xf32>
}

// -----

// One iteration of anything is no loop.
// CHECK-LABEL: func.func @one_iteration(
func.func @one_iteration(%h0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: nn.for
  // CHECK: nn.matmul %arg0, %arg0
  %last = nn.for 1 carried(%h0 : tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4x4xf32>):
    %y = nn.matmul %h, %h : tensor<4x4xf32>, tensor<4x4xf32>
    nn.yield %y : tensor<4x4xf32>
  }
  return %last : tensor<4x4xf32>
}

// -----

// A product costs more than an iteration; many iterations cost more code than steps; and a run's count is not known.
// CHECK-LABEL: func.func @stay_loops(
func.func @stay_loops(%m: tensor<4x4xf32>, %x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: nn.for 2 carried
  %a = nn.for 2 carried(%m : tensor<4x4xf32>) -> (tensor<4x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4x4xf32>):
    %y = nn.matmul %h, %h : tensor<4x4xf32>, tensor<4x4xf32>
    nn.yield %y : tensor<4x4xf32>
  }
  // CHECK: nn.for 9 carried
  %b = nn.for 9 carried(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %y = nn.unary exp %h : tensor<4xf32>
    nn.yield %y : tensor<4xf32>
  }
  // CHECK: nn.for 2 count
  %c = nn.for 2 count(%n : tensor<i64>) carried(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %y = nn.unary exp %h : tensor<4xf32>
    nn.yield %y : tensor<4xf32>
  }
  return %a, %b, %c : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
}
