// RUN: nacre-opt %s --canonicalize --split-input-file | FileCheck %s

// What does nothing disappears.

// CHECK-LABEL: func.func @nothing_to_do(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x3xf32>)
// CHECK-NEXT:    return %[[X]]
func.func @nothing_to_do(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = nn.constant dense<0.0> : tensor<3xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %yes = nn.constant dense<true> : tensor<i1>
  %0 = nn.reshape %x : tensor<2x3xf32> to tensor<2x3xf32>
  %1 = nn.transpose %0 [0, 1] : tensor<2x3xf32>
  %2 = nn.cast %1 : tensor<2x3xf32> to tensor<2x3xf32>
  %3 = nn.slice %2 [0, 0] [2, 3] [1, 1] : tensor<2x3xf32>
  %4 = nn.concat %3 {axis = 1} : tensor<2x3xf32>
  %5 = nn.pad constant %4 [0, 0] [0, 0] 1.0 : f32 : tensor<2x3xf32>
  %6 = nn.binary add %zero, %5 : tensor<3xf32>, tensor<2x3xf32>
  %7 = nn.binary mul %6, %one : tensor<2x3xf32>, tensor<f32>
  %8 = nn.binary sub %7, %zero : tensor<2x3xf32>, tensor<3xf32>
  %9 = nn.binary div %8, %one : tensor<2x3xf32>, tensor<f32>
  %10 = nn.binary pow %9, %one : tensor<2x3xf32>, tensor<f32>
  %11 = nn.select %yes, %10, %zero : tensor<i1>, tensor<2x3xf32>, tensor<3xf32>
  %12 = nn.broadcast %11 : tensor<2x3xf32> to tensor<2x3xf32>
  %13 = nn.reduce sum %12 {axes = array<i64>} : tensor<2x3xf32>
  %14 = nn.resample %13 {axes = array<i64>, indices = [], weights = []} : tensor<2x3xf32>
  return %14 : tensor<2x3xf32>
}

// -----

// The neutral element may give the result its shape; then the operator broadcasts and stays.

// CHECK-LABEL: func.func @neutral_operand_broadcasts(
// CHECK:         nn.binary add
// CHECK:         nn.binary mul
func.func @neutral_operand_broadcasts(%x: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2x3xf32>
  %one = nn.constant dense<1.0> : tensor<2x3xf32>
  %0 = nn.binary add %x, %zero : tensor<3xf32>, tensor<2x3xf32>
  %1 = nn.binary mul %one, %x : tensor<2x3xf32>, tensor<3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Subtraction and division are not commutative: 0 - x and 1 / x stay.

// CHECK-LABEL: func.func @neutral_on_the_wrong_side(
// CHECK:         nn.binary sub
// CHECK:         nn.binary div
func.func @neutral_on_the_wrong_side(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.binary sub %zero, %x : tensor<f32>, tensor<3xf32>
  %1 = nn.binary div %one, %x : tensor<f32>, tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// Two data movements of one kind are one.

// CHECK-LABEL: func.func @movements_compose(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<2x3x4xf32>)
// CHECK-DAG:     %[[T:[^ ,:()]+]] = nn.transpose %[[X]] [2, 0, 1]
// CHECK-DAG:     %[[R:[^ ,:()]+]] = nn.reshape %[[X]] : tensor<2x3x4xf32> to tensor<4x6xf32>
// CHECK-DAG:     %[[S:[^ ,:()]+]] = nn.slice %[[X]] [0, 0, 3] [2, 3, 2] [1, 1, -2]
// CHECK:         return %[[T]], %[[X]], %[[R]], %[[S]]
func.func @movements_compose(%x: tensor<2x3x4xf32>)
    -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4x6xf32>, tensor<2x3x2xf32>) {
  %0 = nn.transpose %x [0, 2, 1] : tensor<2x3x4xf32>
  %1 = nn.transpose %0 [1, 0, 2] : tensor<2x4x3xf32>
  %2 = nn.transpose %1 [1, 2, 0] : tensor<4x2x3xf32>
  %3 = nn.reshape %x : tensor<2x3x4xf32> to tensor<24xf32>
  %4 = nn.reshape %3 : tensor<24xf32> to tensor<4x6xf32>
  %5 = nn.slice %x [0, 0, 1] [2, 3, 3] [1, 1, 1] : tensor<2x3x4xf32>
  %6 = nn.slice %5 [0, 0, 2] [2, 3, 2] [1, 1, -2] : tensor<2x3x3xf32>
  return %1, %2, %4, %6 : tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4x6xf32>, tensor<2x3x2xf32>
}

// -----

// A slice of everything, backwards, is not the whole.

// CHECK-LABEL: func.func @reversal_stays(
// CHECK:         nn.slice
func.func @reversal_stays(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.slice %x [2] [3] [-1] : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Functions that are their own inverse, or change nothing the second time.

// CHECK-LABEL: func.func @repeated_functions(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<3xf32>)
// CHECK-NEXT:    %[[R:[^ ,:()]+]] = nn.unary relu %[[X]]
// CHECK-NEXT:    return %[[X]], %[[R]]
func.func @repeated_functions(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = nn.unary neg %x : tensor<3xf32>
  %1 = nn.unary neg %0 : tensor<3xf32>
  %2 = nn.unary relu %x : tensor<3xf32>
  %3 = nn.unary relu %2 : tensor<3xf32>
  return %1, %3 : tensor<3xf32>, tensor<3xf32>
}

// -----

// A window of one element picks every element, unless it strides.

// CHECK-LABEL: func.func @pool_of_one(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x4x4x2xf32>)
// CHECK-NEXT:    %[[P:[^ ,:()]+]] = nn.pool
// CHECK-NEXT:    return %[[X]], %[[P]]
func.func @pool_of_one(%x: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>, tensor<1x2x2x2xf32>) {
  %0 = nn.pool max %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
                       dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x2xf32>
  %1 = nn.pool max %x {kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
                       dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x2xf32>
  return %0, %1 : tensor<1x4x4x2xf32>, tensor<1x2x2x2xf32>
}

// -----

// Constants are handed out of regions as they are: that is no operator with a value.
// CHECK-LABEL: func.func @constants_of_regions(
// CHECK: nn.if
// CHECK: nn.yield %{{.*}} : tensor<f32>
func.func @constants_of_regions(%c: tensor<i1>) -> tensor<f32> {
  %yes = nn.constant dense<true> : tensor<i1>
  nn.if %yes : tensor<i1> {
    nn.yield
  } else {
    nn.yield
  }
  %y = nn.if %c : tensor<i1> -> (tensor<f32>) {
    %one = nn.constant dense<1.0> : tensor<f32>
    nn.yield %one : tensor<f32>
  } else {
    %two = nn.constant dense<2.0> : tensor<f32>
    nn.yield %two : tensor<f32>
  }
  return %y : tensor<f32>
}
