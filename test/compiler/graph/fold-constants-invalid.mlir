// RUN: nacre-opt %s --nacre-fold-constants="max-constant-bytes=64" --verify-diagnostics

// Each result is small enough, but in all they may take 64 bytes and 16 times those of %a, which are 8: three results of 64 bytes.

func.func @too_many() -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = nn.broadcast %a : tensor<2xf32> to tensor<8x2xf32>
  %1 = nn.unary neg %0 : tensor<8x2xf32>
  %2 = nn.unary exp %1 : tensor<8x2xf32>
  // expected-error @+1 {{makes the folded constants exceed --max-constant; raise the limit to fold them all}}
  %3 = nn.unary neg %2 : tensor<8x2xf32>
  return %0, %1, %2, %3 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}
