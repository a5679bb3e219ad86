// RUN: nacre-opt %s --nacre-verify-graph --split-input-file --verify-diagnostics

func.func @other_dialect() -> i32 {
  // expected-error@+1 {{'arith.constant' op must belong to the nn dialect after the graph phase}}
  %0 = arith.constant 1 : i32
  return %0 : i32
}

// -----

func.func @documented_example() -> tensor<2x2xf32> {
  %a = nn.constant dense<1.0> : tensor<2x2xf32>
  // expected-error@+2 {{'nn.transpose' op must not have only constant operands after the graph phase}}
  // expected-note@+1 {{likely a missing case in nacre-fold-constants}}
  %0 = nn.transpose %a [1, 0] : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @transpose_of_units(%x: tensor<1x2xf32>) -> tensor<2x1xf32> {
  // expected-error@+2 {{must move an axis of more than one element after the graph phase}}
  // expected-note@+1 {{likely a missing case in nacre-simplify-graph}}
  %0 = nn.transpose %x [1, 0] : tensor<1x2xf32>
  return %0 : tensor<2x1xf32>
}

// -----

func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = nn.transpose %x [0, 2, 1] : tensor<2x3x4xf32>
  // expected-error@+2 {{must not follow another transpose after the graph phase}}
  // expected-note@+1 {{likely a missing case in nacre-simplify-graph}}
  %1 = nn.transpose %0 [1, 0, 2] : tensor<2x4x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// -----

// expected-error@+1 {{must be one block after the graph phase, but has 2}}
func.func @two_blocks(%x: tensor<2xf32>) -> tensor<2xf32> {
  cf.br ^end
^end:
  return %x : tensor<2xf32>
}

// -----

func.func @sum_of_nothing(%x: tensor<3x0xf32>) -> tensor<3xf32> {
  // expected-error@+2 {{must read and produce tensors that have elements after the graph phase}}
  // expected-note@+1 {{likely a missing case in nacre-fold-empty}}
  %0 = nn.reduce sum %x {axes = array<i64: 1>} : tensor<3x0xf32>
  return %0 : tensor<3xf32>
}

// -----

// Regions are looked into.
func.func @constant_in_a_branch(%c: tensor<i1>) -> tensor<4xf32> {
  %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
    %w = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    // expected-error@+2 {{'nn.unary' op must not have only constant operands after the graph phase}}
    // expected-note@+1 {{likely a missing case in nacre-fold-constants}}
    %e = nn.unary exp %w : tensor<4xf32>
    nn.yield %e : tensor<4xf32>
  } else {
    %z = nn.constant dense<0.0> : tensor<4xf32>
    nn.yield %z : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @codes(%x: tensor<4xi8>) -> tensor<4xf32> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %zero = nn.constant dense<0> : tensor<i8>
  // expected-error@+2 {{'nn.dequantize' op must be spelled out after the graph phase}}
  // expected-note@+1 {{likely a missing case in nacre-expand-quantization}}
  %0 = nn.dequantize %x, %scale, %zero : tensor<4xi8>, tensor<f32>, tensor<i8>
  return %0 : tensor<4xf32>
}
