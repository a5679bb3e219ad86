// RUN: nacre-opt --nacre-count-trips --nacre-resolve-control --canonicalize --split-input-file %s | FileCheck %s

// A carried counter, as TensorFlow has it: two bounds, the lesser counts. The counter is the iteration's number then.
// CHECK-LABEL: func.func @documented_example(
func.func @documented_example(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = nn.constant dense<0> : tensor<i32>
  // CHECK-DAG: %[[END:[^ ,:()]+]] = nn.constant dense<10> : tensor<i32>
  // CHECK: %[[Y:[^ ,:()]+]] = nn.for 10 carried(%arg0 : tensor<f32>) -> (tensor<f32>) {
  // CHECK-NEXT: ^bb0(%[[ITERATION:[^ ,:()]+]]: tensor<i64>, %[[H:[^ ,:()]+]]: tensor<f32>):
  // CHECK-NEXT: %[[I:[^ ,:()]+]] = nn.cast %[[ITERATION]] : tensor<i64> to tensor<i32>
  // CHECK-NEXT: %[[F:[^ ,:()]+]] = nn.cast %[[I]] : tensor<i32> to tensor<f32>
  // CHECK: return %[[Y]], %[[END]]
  %i, %y, %trips = nn.while carried(%zero, %x : tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i32>, %h: tensor<f32>):
    %ten = nn.constant dense<10> : tensor<i32>
    %twelve = nn.constant dense<12> : tensor<i64>
    %a = nn.binary less %n, %ten : tensor<i32>, tensor<i32>
    %b = nn.binary greater %twelve, %iteration : tensor<i64>, tensor<i64>
    %both = nn.binary and %a, %b : tensor<i1>, tensor<i1>
    nn.condition %both : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i32>, %h: tensor<f32>):
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
  ^bb0(%iteration: tensor<i64>, %h: tensor<f32>):
    %a = nn.binary less %iteration, %n : tensor<i64>, tensor<i64>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %h: tensor<f32>):
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
  ^bb0(%iteration: tensor<i64>, %f: tensor<f32>):
    %three = nn.constant dense<3.0> : tensor<f32>
    %a = nn.binary less_equal %three, %f : tensor<f32>, tensor<f32>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %f: tensor<f32>):
    %two = nn.constant dense<2.0> : tensor<f32>
    %next = nn.binary sub %f, %two : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32> stacked(%f : tensor<f32>)
  }
  return %s, %trips : tensor<6xf32>, tensor<i64>
}

// -----

// What an iteration computes may end the loop: no number says when.
// CHECK-LABEL: func.func @computed(
func.func @computed(%x: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
  // CHECK: nn.while
  %y, %trips = nn.while carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<f32>):
    %a = nn.binary less %h, %limit : tensor<f32>, tensor<f32>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %h: tensor<f32>):
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
  ^bb0(%iteration: tensor<i64>, %n: tensor<i64>):
    %ten = nn.constant dense<10> : tensor<i64>
    %a = nn.binary less %n, %ten : tensor<i64>, tensor<i64>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i64>):
    %one = nn.constant dense<1> : tensor<i64>
    %next = nn.binary sub %n, %one : tensor<i64>, tensor<i64>
    nn.yield %next : tensor<i64>
  }
  return %y : tensor<i64>
}

// -----

// No number of eight bits is greater than 127: the one that follows it is -128, and the loop goes on.
// CHECK-LABEL: func.func @wraps(
func.func @wraps() -> tensor<i64> {
  %zero = nn.constant dense<0> : tensor<i8>
  // CHECK: nn.while bound 300
  %n, %trips = nn.while bound 300 carried(%zero : tensor<i8>) -> (tensor<i8>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i8>):
    %last = nn.constant dense<127> : tensor<i8>
    %a = nn.binary less_equal %n, %last : tensor<i8>, tensor<i8>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i8>):
    %one = nn.constant dense<1> : tensor<i8>
    %next = nn.binary add %n, %one : tensor<i8>, tensor<i8>
    nn.yield %next : tensor<i8>
  }
  return %trips : tensor<i64>
}

// -----

// The step over the end leads out of the type: 10, 6, 2, 254.
// CHECK-LABEL: func.func @wraps_downwards(
func.func @wraps_downwards() -> tensor<i64> {
  %ten = nn.constant dense<10> : tensor<ui8>
  // CHECK: nn.while bound 300
  %n, %trips = nn.while bound 300 carried(%ten : tensor<ui8>) -> (tensor<ui8>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<ui8>):
    %last = nn.constant dense<1> : tensor<ui8>
    %a = nn.binary greater %n, %last : tensor<ui8>, tensor<ui8>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<ui8>):
    %four = nn.constant dense<4> : tensor<ui8>
    %next = nn.binary sub %n, %four : tensor<ui8>, tensor<ui8>
    nn.yield %next : tensor<ui8>
  }
  return %trips : tensor<i64>
}

// -----

// What the end is reached from may be narrow, too: 6, 4, 2, 0 are numbers of it, and 100 is as far as it goes by twenties.
// CHECK-LABEL: func.func @narrow(
func.func @narrow() -> (tensor<i64>, tensor<i64>) {
  %six = nn.constant dense<6> : tensor<ui8>
  %zero = nn.constant dense<0> : tensor<i8>
  // CHECK-DAG: %[[THREE:[^ ,:()]+]] = nn.constant dense<3> : tensor<i64>
  // CHECK-DAG: %[[FIVE:[^ ,:()]+]] = nn.constant dense<5> : tensor<i64>
  // CHECK: return %[[THREE]], %[[FIVE]]
  %low, %falling = nn.while carried(%six : tensor<ui8>) -> (tensor<ui8>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<ui8>):
    %last = nn.constant dense<0> : tensor<ui8>
    %a = nn.binary greater %n, %last : tensor<ui8>, tensor<ui8>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<ui8>):
    %two = nn.constant dense<2> : tensor<ui8>
    %next = nn.binary sub %n, %two : tensor<ui8>, tensor<ui8>
    nn.yield %next : tensor<ui8>
  }
  %high, %rising = nn.while carried(%zero : tensor<i8>) -> (tensor<i8>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i8>):
    %last = nn.constant dense<90> : tensor<i8>
    %a = nn.binary less %n, %last : tensor<i8>, tensor<i8>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i8>):
    %twenty = nn.constant dense<20> : tensor<i8>
    %next = nn.binary add %n, %twenty : tensor<i8>, tensor<i8>
    nn.yield %next : tensor<i8>
  }
  return %falling, %rising : tensor<i64>, tensor<i64>
}

// -----

// Halves stand still at 2048.
// CHECK-LABEL: func.func @stands_still(
func.func @stands_still() -> tensor<i64> {
  %zero = nn.constant dense<0.0> : tensor<f16>
  // CHECK: nn.while bound 4000
  %n, %trips = nn.while bound 4000 carried(%zero : tensor<f16>) -> (tensor<f16>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<f16>):
    %last = nn.constant dense<3000.0> : tensor<f16>
    %a = nn.binary less %n, %last : tensor<f16>, tensor<f16>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<f16>):
    %one = nn.constant dense<1.0> : tensor<f16>
    %next = nn.binary add %n, %one : tensor<f16>, tensor<f16>
    nn.yield %next : tensor<f16>
  }
  return %trips : tensor<i64>
}

// -----

// Of an end that a run knows, the run sees whether the counter gets there: bytes, compared wide, get to 127.
// CHECK-LABEL: func.func @may_wrap(
func.func @may_wrap(%end: tensor<i64>) -> tensor<i8> {
  %zero = nn.constant dense<0> : tensor<i8>
  // CHECK-DAG: %[[GREATEST:[^ ,:()]+]] = nn.constant dense<127> : tensor<i64>
  // CHECK-DAG: %[[NEVER:[^ ,:()]+]] = nn.constant dense<9223372036854775807> : tensor<i64>
  // CHECK: %[[BEYOND:[^ ,:()]+]] = nn.binary greater %arg0, %[[GREATEST]]
  // CHECK: %[[COUNT:[^ ,:()]+]] = nn.select %[[BEYOND]], %[[NEVER]], %{{.*}}
  // CHECK: nn.binary max %[[COUNT]]
  %n, %trips = nn.while bound 300 carried(%zero : tensor<i8>) -> (tensor<i8>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i8>):
    %wide = nn.cast %n : tensor<i8> to tensor<i64>
    %a = nn.binary less %wide, %end : tensor<i64>, tensor<i64>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i8>):
    %one = nn.constant dense<1> : tensor<i8>
    %next = nn.binary add %n, %one : tensor<i8>, tensor<i8>
    nn.yield %next : tensor<i8>
  }
  return %n : tensor<i8>
}

// -----

// The greatest number of a type is reached, but nothing behind it.
// CHECK-LABEL: func.func @up_to_the_greatest(
func.func @up_to_the_greatest(%start: tensor<i32>, %end: tensor<i32>) -> tensor<i64> {
  // CHECK-DAG: %[[GREATEST:[^ ,:()]+]] = nn.constant dense<2147483646> : tensor<i64>
  // CHECK: %[[BEYOND:[^ ,:()]+]] = nn.binary greater %{{.*}}, %[[GREATEST]]
  // CHECK: nn.select %[[BEYOND]]
  %n, %trips = nn.while bound 300 carried(%start : tensor<i32>) -> (tensor<i32>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i32>):
    %a = nn.binary less_equal %n, %end : tensor<i32>, tensor<i32>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<i32>):
    %one = nn.constant dense<1> : tensor<i32>
    %next = nn.binary add %n, %one : tensor<i32>, tensor<i32>
    nn.yield %next : tensor<i32>
  }
  return %trips : tensor<i64>
}

// -----

// A cast of a float rounds: what it counts from need not be a whole number.
// CHECK-LABEL: func.func @rounded(
func.func @rounded(%start: tensor<f32>, %end: tensor<i64>) -> tensor<i64> {
  // CHECK: nn.while bound 300
  %n, %trips = nn.while bound 300 carried(%start : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %n: tensor<f32>):
    %whole = nn.cast %n : tensor<f32> to tensor<i64>
    %a = nn.binary less %whole, %end : tensor<i64>, tensor<i64>
    nn.condition %a : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %n: tensor<f32>):
    %one = nn.constant dense<1.0> : tensor<f32>
    %next = nn.binary add %n, %one : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32>
  }
  return %trips : tensor<i64>
}
