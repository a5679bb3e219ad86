// RUN: nacre-opt --nacre-resolve-control --split-input-file %s | FileCheck %s

// The branch that is never taken goes, and the loop's sum that nobody reads.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%x: tensor<4xf32>) -> tensor<4xf32> {
  %yes = nn.constant dense<true> : tensor<i1>
  // CHECK-NOT: nn.if
  // CHECK: %[[E:[^ ,:()]+]] = nn.unary exp
  %y = nn.if %yes : tensor<i1> -> (tensor<4xf32>) {
    %e = nn.unary exp %x : tensor<4xf32>
    nn.yield %e : tensor<4xf32>
  } else {
    %l = nn.unary log %x : tensor<4xf32>
    nn.yield %l : tensor<4xf32>
  }
  // CHECK: nn.for 3 carried(%[[E]] : tensor<4xf32>) -> (tensor<4xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<4xf32>):
  // CHECK-NEXT: %[[NEXT:[^ ,:()]+]] = nn.unary tanh %[[H]]
  // CHECK-NEXT: nn.yield %[[NEXT]] : tensor<4xf32>
  %last, %sum = nn.for 3 carried(%y, %x : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %s: tensor<4xf32>):
    %next = nn.unary tanh %h : tensor<4xf32>
    %more = nn.binary add %s, %next : tensor<4xf32>, tensor<4xf32>
    nn.yield %next, %more : tensor<4xf32>, tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// -----

// What both branches give is no result of theirs, and what nobody reads is not computed.
// CHECK-LABEL: func.func @the_same_on_both_sides(
func.func @the_same_on_both_sides(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[Y:[^ ,:()]+]] = nn.if %{{.*}} : tensor<i1> -> (tensor<4xf32>) {
  // CHECK-NEXT: nn.unary exp
  // CHECK-NEXT: nn.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: nn.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: return %arg1, %[[Y]]
  %same, %unread, %y = nn.if %c : tensor<i1> -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = nn.unary exp %x : tensor<4xf32>
    nn.yield %x, %e, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } else {
    %l = nn.unary log %x : tensor<4xf32>
    nn.yield %x, %l, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %same, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop of no iterations gives what it begins with.
// CHECK-LABEL: func.func @no_iterations(
func.func @no_iterations(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i64>) {
  // CHECK-DAG: %[[ZERO:[^ ,:()]+]] = nn.constant dense<0> : tensor<i64>
  // CHECK-NOT: nn.for
  // CHECK-NOT: nn.while
  // CHECK: return %arg0, %arg0, %{{.*}} : tensor<4xf32>, tensor<4xf32>, tensor<i64>
  %a = nn.for 0 carried(%x : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>):
    %next = nn.unary tanh %h : tensor<4xf32>
    nn.yield %next : tensor<4xf32>
  }
  %no = nn.constant dense<false> : tensor<i1>
  %b, %go, %trips = nn.while carried(%x, %no : tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %on: tensor<i1>):
    nn.condition %on : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %h: tensor<4xf32>, %on: tensor<i1>):
    %next = nn.unary tanh %h : tensor<4xf32>
    %less = nn.binary less %iteration, %n : tensor<i64>, tensor<i64>
    nn.yield %next, %less : tensor<4xf32>, tensor<i1>
  }
  return %a, %b, %trips : tensor<4xf32>, tensor<4xf32>, tensor<i64>
}

// -----

// What each iteration hands on as it got it is carried for nothing, and a swap is not that.
// CHECK-LABEL: func.func @unchanged_and_swapped(
func.func @unchanged_and_swapped(%a: tensor<f32>, %b: tensor<f32>, %w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %[[R:[^ ,:()]+]]:2 = nn.for 5 carried(%arg0, %arg1 : tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[X:[^ ,:()]+]]: tensor<f32>, %[[Y:[^ ,:()]+]]: tensor<f32>):
  // CHECK-NEXT: %[[S:[^ ,:()]+]] = nn.binary mul %[[X]], %arg2
  // CHECK-NEXT: nn.yield %[[Y]], %[[S]]
  // CHECK: return %[[R]]#0, %arg2
  %r:3 = nn.for 5 carried(%a, %b, %w : tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>):
    %s = nn.binary mul %x, %z : tensor<f32>, tensor<f32>
    nn.yield %y, %s, %z : tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %r#0, %r#2 : tensor<f32>, tensor<f32>
}

// -----

// A stack that nobody reads goes, with the row that only it was made of; a row that nothing reads is not scanned.
// CHECK-LABEL: func.func @unread_rows(
func.func @unread_rows(%h: tensor<f32>, %xs: tensor<5xf32>, %ys: tensor<5xf32>) -> tensor<f32> {
  // CHECK: nn.for 5 carried(%arg0 : tensor<f32>) scanned(%arg2 : tensor<5xf32>) -> (tensor<f32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
  // CHECK-NEXT: nn.binary add
  // CHECK-NEXT: nn.yield %{{.*}} : tensor<f32>{{$}}
  %last, %stack = nn.for 5 carried(%h : tensor<f32>) scanned(%xs, %ys : tensor<5xf32>, tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  ^bb0(%iteration: tensor<i64>, %s: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>):
    %e = nn.unary exp %x : tensor<f32>
    %next = nn.binary add %s, %y : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32> stacked(%e : tensor<f32>)
  }
  return %last : tensor<f32>
}

// -----

// Rows that a loop reads twice and stacks twice it reads and stacks once.
// CHECK-LABEL: func.func @repeated_rows(
func.func @repeated_rows(%h: tensor<f32>, %xs: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  // CHECK: %[[R:[^ ,:()]+]]:2 = nn.for 5 carried(%arg0 : tensor<f32>) scanned(%arg1 : tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<f32>, %[[X:[^ ,:()]+]]: tensor<f32>):
  // CHECK-NEXT: %[[A:[^ ,:()]+]] = nn.binary add %[[H]], %[[X]]
  // CHECK-NEXT: %[[B:[^ ,:()]+]] = nn.binary mul %[[A]], %[[X]]
  // CHECK-NEXT: nn.yield %[[B]] : tensor<f32> stacked(%[[B]] : tensor<f32>)
  // CHECK: return %[[R]]#1, %[[R]]#1
  %last, %once, %twice = nn.for 5 carried(%h : tensor<f32>) scanned(%xs, %xs : tensor<5xf32>, tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%iteration: tensor<i64>, %c: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>):
    %a = nn.binary add %c, %x : tensor<f32>, tensor<f32>
    %b = nn.binary mul %a, %y : tensor<f32>, tensor<f32>
    nn.yield %b : tensor<f32> stacked(%b, %b : tensor<f32>, tensor<f32>)
  }
  return %once, %twice : tensor<5xf32>, tensor<5xf32>
}
