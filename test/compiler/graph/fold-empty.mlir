// RUN: nacre-opt %s --nacre-fold-empty --split-input-file | FileCheck %s

// The example of the pass's documentation: nothing is multiplied, and the bias is left.
// CHECK-LABEL: func.func @documented_example(
// CHECK: %[[ZERO:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK: nn.binary add %[[ZERO]], %arg2
func.func @documented_example(%x: tensor<3x0xf32>, %w: tensor<0x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = nn.matmul %x, %w : tensor<3x0xf32>, tensor<0x4xf32>
  %1 = nn.binary add %0, %b : tensor<3x4xf32>, tensor<4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// A batch of nothing: every layer is gone, whatever it would have computed.
// CHECK-LABEL: func.func @no_batch
// CHECK-NEXT: %[[NOTHING:[^ ,:()]+]] = nn.constant dense<> : tensor<0x4xf32>
// CHECK-NEXT: return %[[NOTHING]]
func.func @no_batch(%x: tensor<0x4xf32>, %s: tensor<4xf32>) -> tensor<0x4xf32> {
  %0 = nn.normalize %x {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : tensor<0x4xf32>
  %1 = nn.binary mul %0, %s : tensor<0x4xf32>, tensor<4xf32>
  %2 = nn.softmax %1 {axis = 1 : i64} : tensor<0x4xf32>
  return %2 : tensor<0x4xf32>
}

// -----

// CHECK-LABEL: func.func @no_channels
// CHECK-NEXT: nn.constant dense<0.000000e+00> : tensor<1x6x6x5xf16>
func.func @no_channels(%x: tensor<1x8x8x0xf16>, %w: tensor<3x3x0x5xf16>) -> tensor<1x6x6x5xf16> {
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>,
    strides = array<i64: 1, 1>} : tensor<1x8x8x0xf16>, tensor<3x3x0x5xf16>
  return %0 : tensor<1x6x6x5xf16>
}

// -----

// Each kind starts from another number, in its own type.
// CHECK-LABEL: func.func @reductions_of_nothing
// CHECK-DAG: %[[SUM:[^ ,:()]+]] = nn.constant dense<0> : tensor<3xi32>
// CHECK-DAG: %[[MEAN:[^ ,:()]+]] = nn.constant dense<0> : tensor<3xi32>
// CHECK-DAG: %[[AVERAGE:[^ ,:()]+]] = nn.constant dense<0x7FC00000> : tensor<3xf32>
// CHECK-DAG: %[[PROD:[^ ,:()]+]] = nn.constant dense<1> : tensor<3xui8>
// CHECK-DAG: %[[MAX:[^ ,:()]+]] = nn.constant dense<-128> : tensor<3xi8>
// CHECK-DAG: %[[UMIN:[^ ,:()]+]] = nn.constant dense<255> : tensor<3xui8>
// CHECK-DAG: %[[FMAX:[^ ,:()]+]] = nn.constant dense<0xFF800000> : tensor<3xf32>
// CHECK-DAG: %[[ANY:[^ ,:()]+]] = nn.constant dense<false> : tensor<3xi1>
// CHECK: return %[[SUM]], %[[MEAN]], %[[AVERAGE]], %[[PROD]], %[[MAX]], %[[UMIN]], %[[FMAX]], %[[ANY]]
func.func @reductions_of_nothing(%i: tensor<3x0xi32>, %f: tensor<3x0xf32>, %u: tensor<3x0xui8>, %s: tensor<3x0xi8>, %b: tensor<3x0xi1>)
    -> (tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xui8>, tensor<3xi8>, tensor<3xui8>, tensor<3xf32>, tensor<3xi1>) {
  %0 = nn.reduce sum %i {axes = array<i64: 1>} : tensor<3x0xi32>
  %1 = nn.reduce mean %i {axes = array<i64: 1>} : tensor<3x0xi32>
  %2 = nn.reduce mean %f {axes = array<i64: 1>} : tensor<3x0xf32>
  %3 = nn.reduce prod %u {axes = array<i64: 1>} : tensor<3x0xui8>
  %4 = nn.reduce max %s {axes = array<i64: 1>} : tensor<3x0xi8>
  %5 = nn.reduce min %u {axes = array<i64: 1>} : tensor<3x0xui8>
  %6 = nn.reduce max %f {axes = array<i64: 1>} : tensor<3x0xf32>
  %7 = nn.reduce max %b {axes = array<i64: 1>} : tensor<3x0xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xui8>, tensor<3xi8>, tensor<3xui8>, tensor<3xf32>, tensor<3xi1>
}

// -----

// Windows over padding alone.
// CHECK-LABEL: func.func @pools_of_nothing
// CHECK-DAG: %[[MAX:[^ ,:()]+]] = nn.constant dense<0xFF800000> : tensor<1x1x3xf32>
// CHECK-DAG: %[[OUTSIDE:[^ ,:()]+]] = nn.constant dense<0x7FC00000> : tensor<1x1x3xf32>
// CHECK-DAG: %[[INSIDE:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<1x1x3xf32>
// CHECK: return %[[MAX]], %[[OUTSIDE]], %[[INSIDE]]
func.func @pools_of_nothing(%x: tensor<1x0x3xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>) {
  %0 = nn.pool max %x {dilations = array<i64: 1>, kernel = array<i64: 2>, overhang = array<i64: 0>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : tensor<1x0x3xf32>
  %1 = nn.pool average %x {dilations = array<i64: 1>, kernel = array<i64: 2>, overhang = array<i64: 0>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : tensor<1x0x3xf32>
  %2 = nn.pool average %x {count_padding, dilations = array<i64: 1>, kernel = array<i64: 2>, overhang = array<i64: 0>, pads = array<i64: 1, 1>, strides = array<i64: 1>} : tensor<1x0x3xf32>
  return %0, %1, %2 : tensor<1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>
}

// -----

// CHECK-LABEL: func.func @joined_with_nothing
// CHECK-NEXT: nn.concat %arg1, %arg1 {axis = 0 : i64} : tensor<3x4xf32>, tensor<3x4xf32>
func.func @joined_with_nothing(%x: tensor<0x4xf32>, %y: tensor<3x4xf32>) -> tensor<6x4xf32> {
  %0 = nn.concat %y, %x, %y {axis = 0 : i64} : tensor<3x4xf32>, tensor<0x4xf32>, tensor<3x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// CHECK-LABEL: func.func @border_of_nothing
// CHECK-NEXT: nn.constant dense<2.500000e+00> : tensor<2x4xf32>
func.func @border_of_nothing(%x: tensor<0x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.pad constant %x [1, 0] [1, 0] 2.5 : f32 : tensor<0x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Without steps the state stays what it was.
// CHECK-LABEL: func.func @no_steps
// CHECK-DAG: %[[STATES:[^ ,:()]+]] = nn.constant dense<> : tensor<0x2x4xf32>
// CHECK-DAG: %[[CELL:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<2x4xf32>
// CHECK: return %[[STATES]], %arg3, %[[CELL]]
func.func @no_steps(%x: tensor<0x2x3xf32>, %w: tensor<3x16xf32>, %r: tensor<4x16xf32>, %h: tensor<2x4xf32>)
    -> (tensor<0x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0:3 = nn.recurrent lstm %x, %w, %r initial_h(%h : tensor<2x4xf32>)
    {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
    : tensor<0x2x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>
  return %0#0, %0#1, %0#2 : tensor<0x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Without inputs the state and the bias are left: zeros take the inputs' place.
// CHECK-LABEL: func.func @no_inputs
// CHECK-DAG: %[[INPUT:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<5x2x1xf32>
// CHECK-DAG: %[[WEIGHTS:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<1x4xf32>
// CHECK: nn.recurrent rnn %[[INPUT]], %[[WEIGHTS]], %arg2 bias(%arg3
func.func @no_inputs(%x: tensor<5x2x0xf32>, %w: tensor<0x4xf32>, %r: tensor<4x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0:3 = nn.recurrent rnn %x, %w, %r bias(%b : tensor<2x4xf32>) {activations = [#nn<unary_kind tanh>]}
    : tensor<5x2x0xf32>, tensor<0x4xf32>, tensor<4x4xf32>
  return %0#1 : tensor<2x4xf32>
}

// -----

// No updates change nothing.
// CHECK-LABEL: func.func @no_updates
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @no_updates(%x: tensor<4x3xf32>, %i: tensor<0x1xi64>, %u: tensor<0x3xf32>) -> tensor<4x3xf32> {
  %0 = nn.scatter_nd set %x, %i, %u : tensor<4x3xf32>, tensor<0x1xi64>, tensor<0x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Padding that is no zero is what is left of an image without rows.
// CHECK-LABEL: func.func @padding_alone
// CHECK: %[[PADDING:[^ ,:()]+]] = nn.constant dense<200> : tensor<1x2x4x1xui8>
// CHECK: nn.conv %[[PADDING]], %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides
func.func @padding_alone(%x: tensor<1x0x4x1xui8>, %w: tensor<2x2x1x5xi8>) -> tensor<1x1x3x5xi32> {
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 0, 1, 0>, pad_value = 200,
                       strides = array<i64: 1, 1>} : tensor<1x0x4x1xui8>, tensor<2x2x1x5xi8>
  return %0 : tensor<1x1x3x5xi32>
}

// -----

// A branch and a loop hand over only what has elements.
// CHECK-LABEL: func.func @branches_and_loops(
// CHECK: %[[R:[^ ,:()]+]]:2 = nn.for 5 carried(%arg0 : tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
// CHECK: %[[ZERO:[^ ,:()]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK: nn.yield %{{.*}} : tensor<4xf32> stacked(%[[ZERO]] : tensor<f32>)
// CHECK: %[[B:[^ ,:()]+]] = nn.if %arg3 : tensor<i1> -> (tensor<f32>) {
// CHECK: nn.reduce max %[[R]]#1
// CHECK: return %[[R]]#0, %{{.*}}, %{{.*}}, %[[B]]
func.func @branches_and_loops(%x: tensor<4xf32>, %none: tensor<0xf32>, %rows: tensor<5x0xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<0xf32>, tensor<5x0xf32>, tensor<f32>) {
  %r:4 = nn.for 5 carried(%none, %x : tensor<0xf32>, tensor<4xf32>) scanned(%rows : tensor<5x0xf32>) -> (tensor<0xf32>, tensor<4xf32>, tensor<5x0xf32>, tensor<5xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<0xf32>, %g: tensor<4xf32>, %row: tensor<0xf32>):
    %e = nn.unary exp %row : tensor<0xf32>
    %s = nn.reduce sum %e {axes = array<i64: 0>} : tensor<0xf32>
    %y = nn.binary add %g, %s : tensor<4xf32>, tensor<f32>
    nn.yield %e, %y : tensor<0xf32>, tensor<4xf32> stacked(%h, %s : tensor<0xf32>, tensor<f32>)
  }
  %b:2 = nn.if %c : tensor<i1> -> (tensor<0xf32>, tensor<f32>) {
    %s = nn.reduce sum %r#0 {axes = array<i64: 0>} : tensor<0xf32>
    nn.yield %none, %s : tensor<0xf32>, tensor<f32>
  } else {
    %s = nn.reduce max %r#3 {axes = array<i64: 0>} : tensor<5xf32>
    nn.yield %r#0, %s : tensor<0xf32>, tensor<f32>
  }
  return %r#1, %b#0, %r#2, %b#1 : tensor<4xf32>, tensor<0xf32>, tensor<5x0xf32>, tensor<f32>
}

// -----

// A stride that is longer than its axis: parts that have no elements along it are left out.

// CHECK-LABEL: func.func @interleaved
// CHECK-NEXT:  nn.interleave %arg0, %arg1 {strides = array<i64: 2, 1>} : tensor<1x4xf32>, tensor<1x4xf32>
func.func @interleaved(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>, %c: tensor<0x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.interleave %a, %b, %c {strides = array<i64: 3, 1>} : tensor<1x4xf32>, tensor<1x4xf32>, tensor<0x4xf32>
  return %0 : tensor<2x4xf32>
}
