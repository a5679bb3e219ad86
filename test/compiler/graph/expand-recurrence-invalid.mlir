// RUN: nacre-opt %s --nacre-expand-recurrence --verify-diagnostics

// Which rows have ended is compared with a table of all steps.

func.func @early_ends(%x: tensor<100000000x1x1xf32> {nn.name = "x"}, %n: tensor<1xi64> {nn.name = "n"})
    -> (tensor<1x1xf32> {nn.name = "h"}) {
  %w = nn.constant dense<0.5> : tensor<1x1xf32>
  // expected-error @+1 {{must have at most 16777216 steps if its rows end early, but has 100000000}}
  %all, %h, %c = nn.recurrent rnn %x, %w, %w lengths(%n : tensor<1xi64>) {activations = [#nn<unary_kind tanh>]}
      : tensor<100000000x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
  return %h : tensor<1x1xf32>
}
