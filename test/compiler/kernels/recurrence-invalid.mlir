// RUN: nacre-opt %s --nacre-form-kernels --verify-diagnostics

// A loop must have a step to repeat, and a step something to compute.

func.func @no_rows(%x: tensor<5x0x3xf32> {nn.name = "x"}) -> (tensor<0x8xf32> {nn.name = "h"}) {
  %w = nn.constant dense<0.5> : tensor<3x8xf32>
  %r = nn.constant dense<0.25> : tensor<8x8xf32>
  // expected-error @+1 {{must have steps, rows, inputs and hidden units, but its input is 'tensor<5x0x3xf32>'}}
  %all, %h, %c = nn.recurrent rnn %x, %w, %r {activations = [#nn<unary_kind tanh>]}
      : tensor<5x0x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>
  return %h : tensor<0x8xf32>
}
