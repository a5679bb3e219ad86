// RUN: nacre-opt %s | nacre-opt | FileCheck %s

// Operators with regions survive printing and parsing; test/dialects/nn/control-invalid.mlir has what they refuse.

// The documented example of nn.if: a branch reads what is around it.
// CHECK-LABEL: func.func @one_of_two_branches(
func.func @one_of_two_branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Y:[^ ,:()]+]] = nn.if %{{.*}} : tensor<i1> -> (tensor<4xf32>) {
  // CHECK-NEXT: %[[E:[^ ,:()]+]] = nn.unary exp
  // CHECK-NEXT: nn.yield %[[E]] : tensor<4xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nn.yield %{{.*}} : tensor<4xf32>
  // CHECK-NEXT: }
  %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
    %e = nn.unary exp %x : tensor<4xf32>
    nn.yield %e : tensor<4xf32>
  } else {
    nn.yield %x : tensor<4xf32>
  }
  // CHECK: return %[[Y]]
  return %y : tensor<4xf32>
}

// A branch may give nothing, and the condition have axes.
// CHECK-LABEL: func.func @nothing(
func.func @nothing(%c: tensor<1x1xi1>) {
  // CHECK: nn.if %{{.*}} : tensor<1x1xi1> {
  // CHECK-NEXT: nn.yield
  nn.if %c : tensor<1x1xi1> {
    nn.yield
  } else {
    nn.yield
  }
  return
}

// The documented example of nn.for: finals come first, stacks behind them.
// CHECK-LABEL: func.func @sums_so_far(
func.func @sums_so_far(%h0: tensor<8xf32>, %xs: tensor<100x8xf32>) -> (tensor<8xf32>, tensor<100x8xf32>) {
  // CHECK: nn.for 100 carried(%{{.*}} : tensor<8xf32>) scanned(%{{.*}} : tensor<100x8xf32>) -> (tensor<8xf32>, tensor<100x8xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>):
  %last, %all = nn.for 100 carried(%h0 : tensor<8xf32>) scanned(%xs : tensor<100x8xf32>) -> (tensor<8xf32>, tensor<100x8xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<8xf32>, %x: tensor<8xf32>):
    %sum = nn.binary add %h, %x : tensor<8xf32>, tensor<8xf32>
    // CHECK: nn.yield %[[SUM:[^ ,:()]+]] : tensor<8xf32> stacked(%[[SUM]] : tensor<8xf32>)
    nn.yield %sum : tensor<8xf32> stacked(%sum : tensor<8xf32>)
  }
  return %last, %all : tensor<8xf32>, tensor<100x8xf32>
}

// A count read at run time, nothing carried.
// CHECK-LABEL: func.func @counted(
func.func @counted(%n: tensor<1xi64>, %xs: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: nn.for 5 count(%{{.*}} : tensor<1xi64>) scanned(%{{.*}} : tensor<5xf32>) -> (tensor<5xf32>) {
  %all = nn.for 5 count(%n : tensor<1xi64>) scanned(%xs : tensor<5xf32>) -> (tensor<5xf32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    %y = nn.unary exp %x : tensor<f32>
    // CHECK: nn.yield stacked(%{{.*}} : tensor<f32>)
    nn.yield stacked(%y : tensor<f32>)
  }
  return %all : tensor<5xf32>
}

// From the last row to the first.
// CHECK-LABEL: func.func @reversed(
func.func @reversed(%xs: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: nn.for 5 scanned(%{{.*}} : tensor<5xf32>) reverse -> (tensor<5xf32>) {
  %all = nn.for 5 scanned(%xs : tensor<5xf32>) reverse -> (tensor<5xf32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    nn.yield stacked(%x : tensor<f32>)
  }
  return %all : tensor<5xf32>
}

// The documented example of nn.while.
// CHECK-LABEL: func.func @up_to_a_limit(
func.func @up_to_a_limit(%x0: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<64xf32>, tensor<i64>) {
  // CHECK: nn.while bound 64 carried(%{{.*}} : tensor<f32>) -> (tensor<f32>, tensor<64xf32>) {
  %last, %all, %trips = nn.while bound 64 carried(%x0 : tensor<f32>) -> (tensor<f32>, tensor<64xf32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    %less = nn.binary less %x, %limit : tensor<f32>, tensor<f32>
    // CHECK: nn.condition %{{.*}} : tensor<i1>
    nn.condition %less : tensor<i1>
  // CHECK-NEXT: } do {
  } do {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    %twice = nn.binary add %x, %x : tensor<f32>, tensor<f32>
    nn.yield %twice : tensor<f32> stacked(%x : tensor<f32>)
  }
  return %last, %all, %trips : tensor<f32>, tensor<64xf32>, tensor<i64>
}

// Without a bound, and nested.
// CHECK-LABEL: func.func @nested(
func.func @nested(%x0: tensor<f32>, %go: tensor<i1>) -> tensor<f32> {
  // CHECK: nn.while carried(%{{.*}} : tensor<f32>) -> (tensor<f32>) {
  %last, %trips = nn.while carried(%x0 : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    nn.condition %go : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
    %inner = nn.for 0 carried(%x : tensor<f32>) -> (tensor<f32>) {
    ^bb0(%t: tensor<i64>, %h: tensor<f32>):
      %y = nn.binary mul %h, %x : tensor<f32>, tensor<f32>
      nn.yield %y : tensor<f32>
    }
    nn.yield %inner : tensor<f32>
  }
  return %last : tensor<f32>
}

// The documented example of nn.gradient.
// CHECK-LABEL: func.func @gradient(
func.func @gradient(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.gradient of(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
  %dx = nn.gradient of(%x, %z : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %y = nn.binary mul %a, %b : tensor<4xf32>, tensor<4xf32>
    // CHECK: nn.yield %{{.*}} : tensor<4xf32>
    nn.yield %y : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}
