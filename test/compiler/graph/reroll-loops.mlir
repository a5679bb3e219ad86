// RUN: nacre-opt --nacre-reroll-loops --split-input-file %s | FileCheck %s

// Four steps of a cell that joins its input and its state. What the first one begins with has lost its axes.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%xs: tensor<4x1x3xf32>, %w: tensor<5x2xf32>) -> tensor<1x2xf32> {
  // CHECK: %[[ZERO:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<1x2xf32>
  // CHECK: %[[LAST:[^ ,:()]+]] = nn.for 4 carried(%[[ZERO]] : tensor<1x2xf32>) scanned(%arg0 : tensor<4x1x3xf32>) -> (tensor<1x2xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<1x2xf32>, %[[X:[^ ,:()]+]]: tensor<1x3xf32>):
  // CHECK-NEXT: %[[ROW:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<1x3xf32> to tensor<1x1x3xf32>
  // CHECK-NEXT: %[[IN:[^ ,:()]+]] = nn.reshape %[[ROW]] : tensor<1x1x3xf32> to tensor<1x3xf32>
  // CHECK-NEXT: %[[JOINED:[^ ,:()]+]] = nn.concat %[[IN]], %[[H]]
  // CHECK-NEXT: %[[P:[^ ,:()]+]] = nn.matmul %[[JOINED]], %arg1
  // CHECK-NEXT: %[[T:[^ ,:()]+]] = nn.unary tanh %[[P]]
  // CHECK-NEXT: %[[NEXT:[^ ,:()]+]] = nn.binary add %[[T]], %[[H]]
  // CHECK-NEXT: nn.yield %[[NEXT]] : tensor<1x2xf32>
  // CHECK: return %[[LAST]]
  %zeros = nn.constant dense<0.0> : tensor<1x2xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %s0 = nn.slice %xs [0, 0, 0] [1, 1, 3] [1, 1, 1] : tensor<4x1x3xf32>
  %x0 = nn.reshape %s0 : tensor<1x1x3xf32> to tensor<1x3xf32>
  %j0 = nn.concat %x0, %zeros {axis = 1} : tensor<1x3xf32>, tensor<1x2xf32>
  %p0 = nn.matmul %j0, %w : tensor<1x5xf32>, tensor<5x2xf32>
  %t0 = nn.unary tanh %p0 : tensor<1x2xf32>
  %h0 = nn.binary add %t0, %zero : tensor<1x2xf32>, tensor<f32>
  %s1 = nn.slice %xs [1, 0, 0] [1, 1, 3] [1, 1, 1] : tensor<4x1x3xf32>
  %x1 = nn.reshape %s1 : tensor<1x1x3xf32> to tensor<1x3xf32>
  %j1 = nn.concat %x1, %h0 {axis = 1} : tensor<1x3xf32>, tensor<1x2xf32>
  %p1 = nn.matmul %j1, %w : tensor<1x5xf32>, tensor<5x2xf32>
  %t1 = nn.unary tanh %p1 : tensor<1x2xf32>
  %h1 = nn.binary add %t1, %h0 : tensor<1x2xf32>, tensor<1x2xf32>
  %s2 = nn.slice %xs [2, 0, 0] [1, 1, 3] [1, 1, 1] : tensor<4x1x3xf32>
  %x2 = nn.reshape %s2 : tensor<1x1x3xf32> to tensor<1x3xf32>
  %j2 = nn.concat %x2, %h1 {axis = 1} : tensor<1x3xf32>, tensor<1x2xf32>
  %p2 = nn.matmul %j2, %w : tensor<1x5xf32>, tensor<5x2xf32>
  %t2 = nn.unary tanh %p2 : tensor<1x2xf32>
  %h2 = nn.binary add %t2, %h1 : tensor<1x2xf32>, tensor<1x2xf32>
  %s3 = nn.slice %xs [3, 0, 0] [1, 1, 3] [1, 1, 1] : tensor<4x1x3xf32>
  %x3 = nn.reshape %s3 : tensor<1x1x3xf32> to tensor<1x3xf32>
  %j3 = nn.concat %x3, %h2 {axis = 1} : tensor<1x3xf32>, tensor<1x2xf32>
  %p3 = nn.matmul %j3, %w : tensor<1x5xf32>, tensor<5x2xf32>
  %t3 = nn.unary tanh %p3 : tensor<1x2xf32>
  %h3 = nn.binary add %t3, %h2 : tensor<1x2xf32>, tensor<1x2xf32>
  return %h3 : tensor<1x2xf32>
}

// -----

// The first step has no state to multiply, so four of five become a loop. Columns are read from behind, and a state between is read, too,
// before the last step.
// CHECK-LABEL: func.func @first_step_differs(
func.func @first_step_differs(%xs: tensor<2x5xf32>, %w: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  // CHECK: %[[H0:[^ ,:()]+]] = nn.unary sigmoid
  // CHECK: %[[SLICE:[^ ,:()]+]] = nn.slice %arg0 [0, 3] [2, 4] [1, -1]
  // CHECK: %[[ROWS:[^ ,:()]+]] = nn.transpose %[[SLICE]] [1, 0]
  // CHECK: %[[LOOP:[^ ,:()]+]]:2 = nn.for 4 carried(%[[H0]] : tensor<2x2xf32>) scanned(%[[ROWS]] : tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<4x2x2xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<2x2xf32>, %[[X:[^ ,:()]+]]: tensor<2xf32>):
  // CHECK-NEXT: %[[COLUMN:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<2xf32> to tensor<2x1xf32>
  // CHECK-NEXT: %[[P:[^ ,:()]+]] = nn.matmul %[[H]], %arg1
  // CHECK-NEXT: %[[S:[^ ,:()]+]] = nn.binary add %[[P]], %[[COLUMN]]
  // CHECK-NEXT: %[[T:[^ ,:()]+]] = nn.unary tanh %[[S]]
  // CHECK-NEXT: nn.yield %[[T]] : tensor<2x2xf32> stacked(%[[T]] : tensor<2x2xf32>)
  // CHECK: %[[ONE:[^ ,:()]+]] = nn.slice %[[LOOP]]#1 [1, 0, 0] [1, 2, 2] [1, 1, 1]
  // CHECK: %[[STATE:[^ ,:()]+]] = nn.reshape %[[ONE]]
  // CHECK: nn.slice %[[LOOP]]#1 [3, 0, 0] [1, 2, 2] [1, 1, 1]
  // CHECK: %[[LAST:[^ ,:()]+]] = nn.reshape
  // CHECK: %[[READ:[^ ,:()]+]] = nn.slice %[[STATE]]
  // CHECK: return %[[READ]], %[[LAST]]
  %x0 = nn.slice %xs [0, 4] [2, 1] [1, 1] : tensor<2x5xf32>
  %x1 = nn.slice %xs [0, 3] [2, 1] [1, 1] : tensor<2x5xf32>
  %x2 = nn.slice %xs [0, 2] [2, 1] [1, 1] : tensor<2x5xf32>
  %x3 = nn.slice %xs [0, 1] [2, 1] [1, 1] : tensor<2x5xf32>
  %x4 = nn.slice %xs [0, 0] [2, 1] [1, 1] : tensor<2x5xf32>
  %b0 = nn.broadcast %x0 : tensor<2x1xf32> to tensor<2x2xf32>
  %h0 = nn.unary sigmoid %b0 : tensor<2x2xf32>
  %p1 = nn.matmul %h0, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %s1 = nn.binary add %p1, %x1 : tensor<2x2xf32>, tensor<2x1xf32>
  %h1 = nn.unary tanh %s1 : tensor<2x2xf32>
  %p2 = nn.matmul %h1, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %s2 = nn.binary add %p2, %x2 : tensor<2x2xf32>, tensor<2x1xf32>
  %h2 = nn.unary tanh %s2 : tensor<2x2xf32>
  %read = nn.slice %h2 [0, 0] [2, 1] [1, 1] : tensor<2x2xf32>
  %p3 = nn.matmul %h2, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %s3 = nn.binary add %p3, %x3 : tensor<2x2xf32>, tensor<2x1xf32>
  %h3 = nn.unary tanh %s3 : tensor<2x2xf32>
  %p4 = nn.matmul %h3, %w : tensor<2x2xf32>, tensor<2x2xf32>
  %s4 = nn.binary add %p4, %x4 : tensor<2x2xf32>, tensor<2x1xf32>
  %h4 = nn.unary tanh %s4 : tensor<2x2xf32>
  return %read, %h4 : tensor<2x1xf32>, tensor<2x2xf32>
}

// -----

// Products by one weight that do not read each other are no loop, and three steps too few for one.
// CHECK-LABEL: func.func @stay_written_out(
// CHECK-NOT: nn.for
func.func @stay_written_out(%xs: tensor<4x1x2xf32>, %x: tensor<1x2xf32>, %w: tensor<2x2xf32>, %v: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<1x2xf32>) {
  %s0 = nn.slice %xs [0, 0, 0] [1, 1, 2] [1, 1, 1] : tensor<4x1x2xf32>
  %s1 = nn.slice %xs [1, 0, 0] [1, 1, 2] [1, 1, 1] : tensor<4x1x2xf32>
  %s2 = nn.slice %xs [2, 0, 0] [1, 1, 2] [1, 1, 1] : tensor<4x1x2xf32>
  %s3 = nn.slice %xs [3, 0, 0] [1, 1, 2] [1, 1, 1] : tensor<4x1x2xf32>
  %x0 = nn.reshape %s0 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %x1 = nn.reshape %s1 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %x2 = nn.reshape %s2 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %x3 = nn.reshape %s3 : tensor<1x1x2xf32> to tensor<1x2xf32>
  %p0 = nn.matmul %x0, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %p1 = nn.matmul %x1, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %p2 = nn.matmul %x2, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %p3 = nn.matmul %x3, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %all = nn.concat %p0, %p1, %p2, %p3 {axis = 0} : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  %q0 = nn.matmul %x, %v : tensor<1x2xf32>, tensor<2x2xf32>
  %t0 = nn.unary tanh %q0 : tensor<1x2xf32>
  %q1 = nn.matmul %t0, %v : tensor<1x2xf32>, tensor<2x2xf32>
  %t1 = nn.unary tanh %q1 : tensor<1x2xf32>
  %q2 = nn.matmul %t1, %v : tensor<1x2xf32>, tensor<2x2xf32>
  %t2 = nn.unary tanh %q2 : tensor<1x2xf32>
  return %all, %t2 : tensor<4x2xf32>, tensor<1x2xf32>
}
