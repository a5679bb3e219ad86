// RUN: nacre-opt %s --nacre-prepare-loops | FileCheck %s

// The example of the pass's documentation: a loop that reads its iteration's number scans a table of them.

// CHECK-LABEL: func.func @documented_example
// CHECK:         [[TABLE:%[^ ]+]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK:         nn.for 3 carried(%{{.*}} : tensor<f32>) scanned([[TABLE]] : tensor<3xi64>)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, [[ITERATION:%[^ :]+]]: tensor<i64>):
// CHECK-NEXT:      nn.cast [[ITERATION]]
func.func @documented_example(%x: tensor<f32>) -> tensor<f32> {
  %last = nn.for 3 carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %sum: tensor<f32>):
    %number = nn.cast %iteration : tensor<i64> to tensor<f32>
    %next = nn.binary add %sum, %number : tensor<f32>, tensor<f32>
    nn.yield %next : tensor<f32>
  }
  return %last : tensor<f32>
}

// Rows are scanned from behind, iterations are counted from 0 on all the same.

// CHECK-LABEL: func.func @reverse
// CHECK:         nn.constant dense<[2, 1, 0]> : tensor<3xi64>
// CHECK:         nn.for 3 scanned(%{{.*}} : tensor<3xi64>) reverse
func.func @reverse() -> tensor<3xi64> {
  %all = nn.for 3 reverse -> (tensor<3xi64>) {
  ^bb0(%iteration: tensor<i64>):
    nn.yield stacked(%iteration : tensor<i64>)
  }
  return %all : tensor<3xi64>
}

// A table of a million numbers would be in the model: there, they are counted.

// CHECK-LABEL: func.func @many_iterations
// CHECK:         [[ZERO:%[^ ]+]] = nn.broadcast
// CHECK:         nn.for 1000000 carried(%{{.*}}, [[ZERO]] : tensor<i64>, tensor<i64>)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, [[SUM:%[^ :]+]]: tensor<i64>, [[ITERATION:%[^ :]+]]: tensor<i64>):
// CHECK-NEXT:      [[NEXT:%[^ ]+]] = nn.binary add [[SUM]], [[ITERATION]]
// CHECK:           [[ONE:%[^ ]+]] = nn.constant dense<1> : tensor<i64>
// CHECK-NEXT:      [[LATER:%[^ ]+]] = nn.binary add [[ITERATION]], [[ONE]]
// CHECK-NEXT:      nn.yield [[NEXT]], [[LATER]]
func.func @many_iterations(%x: tensor<i64>) -> tensor<i64> {
  %last = nn.for 1000000 carried(%x : tensor<i64>) -> (tensor<i64>) {
  ^bb0(%iteration: tensor<i64>, %sum: tensor<i64>):
    %next = nn.binary add %sum, %iteration : tensor<i64>, tensor<i64>
    nn.yield %next : tensor<i64>
  }
  return %last : tensor<i64>
}

// How many iterations there were is what they are counted up to.

// CHECK-LABEL: func.func @trips
// CHECK:         [[LOOP:%[^ :]+]]:2, %{{.*}} = nn.while bound 8 carried(%{{.*}}, %{{.*}} : tensor<f32>, tensor<i64>)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<i64>):
// CHECK:           nn.condition
// CHECK:         return [[LOOP]]#0, [[LOOP]]#1
func.func @trips(%x: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<i64>) {
  %last, %trips = nn.while bound 8 carried(%x : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%iteration: tensor<i64>, %value: tensor<f32>):
    %less = nn.binary less %value, %limit : tensor<f32>, tensor<f32>
    nn.condition %less : tensor<i1>
  } do {
  ^bb0(%iteration: tensor<i64>, %value: tensor<f32>):
    %twice = nn.binary add %value, %value : tensor<f32>, tensor<f32>
    nn.yield %twice : tensor<f32>
  }
  return %last, %trips : tensor<f32>, tensor<i64>
}

// No iteration: nothing but what there was before.

// CHECK-LABEL: func.func @no_iterations
// CHECK-NOT:     nn.for
// CHECK:         [[NONE:%[^ ]+]] = nn.constant dense<> : tensor<0x2xf32>
// CHECK:         return %{{.*}}, [[NONE]]
func.func @no_iterations(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  %last, %all = nn.for 0 carried(%x : tensor<2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  ^bb0(%iteration: tensor<i64>, %value: tensor<2xf32>):
    %twice = nn.binary add %value, %value : tensor<2xf32>, tensor<2xf32>
    nn.yield %twice : tensor<2xf32> stacked(%twice : tensor<2xf32>)
  }
  return %last, %all : tensor<2xf32>, tensor<0x2xf32>
}
