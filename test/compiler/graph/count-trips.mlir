// RUN: nacre-opt --nacre-count-trips --nacre-resolve-control --canonicalize --split-input-file %s | FileCheck %s

// A carried counter, as TensorFlow has it: two bounds, the lesser counts. The counter is the turn's number then.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = nn.constant dense<0> : tensor<i32>
  // CHECK-DAG: %[[END:[^ ,:()]+]] = nn.constant dense<10> : tensor<i32>
  // CHECK: %[[Y:[^ ,:()]+]] = nn.for 10 carried(%arg0 : tensor<f32>) -> (tensor<f32>) {
  // CHECK-NEXT: ^bb0(%[[TURN:[^ ,:()]+]]: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<f32>):
  // CHECK-NEXT: %[[I:[^ ,:()]+]] = nn.cast %[[TURN]] : tensor<i64> to tensor<i32>
  // CHECK-NEXT: %[[F:[^ ,:()]+]] = nn.cast %[[I]] : tensor<i32> to tensor<f32>
  // CHECK: return %[[Y]], %[[END]]
  %i, %y, %trips = nn.while carried(%zero, %x : tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  ^bb0(%turn: tensor<i64>, %n: tensor<i32>, %h: tensor<f32>):
    %ten = nn.constant dense<10> : tensor<i32>
    %twelve = nn.constant dense<12> : tensor<i64>
    %a = nn.binary less %n, %ten : tensor<i32>, tensor<i32>
    %b = nn.binary greater %twelve, %turn : tensor<i64>, tensor<i64>
    %both = nn.binary and %a, %b : tensor<i1>, tensor<i1>
    nn.condition %both : tensor<i1>
  } do {
  ^bb0(%turn: tensor<i64>, %n: tensor<i32>, %h: tensor<f32>):
    %one = nn.constant dense<1> : tensor<i32>
    %next = nn.binary add %n, %one : tensor<i32>, tensor<i32>
    %f = nn.cast %n : tensor<i32> to tensor<f32>
    %s = nn.binary add %h, %f : tensor<f32>, tensor<f32>
    nn.yield %next, %s : tensor<i32>, tensor<f32>
  }
  return %y, %i : tensor<f32>, tensor<i32>
}

// -----

// A count that a run knows, and a bound: rows behind the count are unspecified, as they were.
// CHECK-LABEL: func.func @counted_at_run_time(
func.func @counted_at_run_time(%x: tensor<f32>, %n: tensor<i64>) -> (tensor<8xf32>, tensor<i64>) {
  // CHECK: %[[S:[^ ,:()]+]]:2 = nn.for 8 count(%arg1 : tensor<i64>) carried(%arg0 : tensor<f32>) -> (tensor<f32>, tensor<8xf32>) {
  // CHECK: return %[[S]]#1, %{{.*}} : tensor<8xf32>, tensor<i64>
  %y, %s, %trips = nn.while bound 8 carried(%x : tensor<f32>) -> (tensor<f32>, tensor<8xf32>) {
  ^bb0(%turn: tensor<i64>, %h: tensor<f32>):
    %a = nn.binary less %turn, %n : tensor<i64>, tensor<i64>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%turn: tensor<i64>, %h: tensor<f32>):
    %e = nn.unary exp %h : tensor<f32>
    nn.yield %e : tensor<f32> stacked(%h : tensor<f32>)
  }
  return %s, %trips : tensor<8xf32>, tensor<i64>
}

// -----

// From 10 down to 3, by twos: 10, 8, 6, 4; floats count while they are exact. The bound of the stack stays its size.
// CHECK-LABEL: func.func @downwards(
func.func @downwards(%x: tensor<f32>) -> (tensor<6xf32>, tensor<i64>) {
  %ten = nn.constant dense<10.0> : tensor<f32>
  // CHECK-DAG: %[[FOUR:[^ ,:()]+]] = nn.constant dense<4> : tensor<i64>
  // CHECK: %[[S:[^ ,:()]+]] = nn.for 4 -> (tensor<4xf32>) {
  // CHECK: %[[P:[^ ,:()]+]] = nn.pad constant %[[S]]
  // CHECK: return %[[P]], %[[FOUR]]
  %i, %s, %trips = nn.while bound 6 carried(%ten : tensor<f32>) -> (tensor<f32>, tensor<6xf32>) {
  ^bb0(%turn: tensor<i64>, %f: tensor<f32>):
    %three = nn.constant dense<3.0> : tensor<f32>
    %a = nn.binary less_equal %three, %f : tensor<f32>, tensor<f32>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%turn: tensor<i64>, %f: tensor<f32>):
    %two = nn.constant dense<2.0> : tensor<f32>
    %next = nn.binary sub %f, %two : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32> stacked(%f : tensor<f32>)
  }
  return %s, %trips : tensor<6xf32>, tensor<i64>
}

// -----

// What a turn computes may end the loop: no number says when.
// CHECK-LABEL: func.func @computed(
func.func @computed(%x: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
  // CHECK: nn.while
  %y, %trips = nn.while carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%turn: tensor<i64>, %h: tensor<f32>):
    %a = nn.binary less %h, %limit : tensor<f32>, tensor<f32>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%turn: tensor<i64>, %h: tensor<f32>):
    %next = nn.binary add %h, %h : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

// A number that falls never reaches a greater one: no end is known.
// CHECK-LABEL: func.func @the_wrong_way(
func.func @the_wrong_way() -> tensor<i64> {
  %zero = nn.constant dense<0> : tensor<i64>
  // CHECK: nn.while bound 100
  %y, %trips = nn.while bound 100 carried(%zero : tensor<i64>) -> (tensor<i64>) {
  ^bb0(%turn: tensor<i64>, %n: tensor<i64>):
    %ten = nn.constant dense<10> : tensor<i64>
    %a = nn.binary less %n, %ten : tensor<i64>, tensor<i64>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%turn: tensor<i64>, %n: tensor<i64>):
    %one = nn.constant dense<1> : tensor<i64>
    %next = nn.binary sub %n, %one : tensor<i64>, tensor<i64>
    nn.yield %next : tensor<i64>
  }
  return %y : tensor<i64>
}
