// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --verify-diagnostics

// Tables of positions are stored in the model, so their number is bounded: a file of a few bytes can ask for any.

func.func @pad(%x: tensor<1xf32> {nn.name = "x"}) -> (tensor<2000000001xf32> {nn.name = "y"}) {
  // expected-error @+1 {{axis 0 must have at most 2147483647 elements and become at most 16777216, but has 1 and becomes 2000000001}}
  %0 = nn.pad edge %x [1000000000] [1000000000] 0.0 : f32 : tensor<1xf32>
  return %0 : tensor<2000000001xf32>
}

// -----

// Each axis is short enough, their product is not.

func.func @average(%x: tensor<1x8192x8192x1xf32> {nn.name = "x"}) -> (tensor<1x8192x8192x1xf32> {nn.name = "y"}) {
  // expected-error @+1 {{must have at most 16777216 windows where padding is not counted}}
  %0 = nn.pool average %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
                           dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x8192x8192x1xf32>
  return %0 : tensor<1x8192x8192x1xf32>
}

// -----

// Stored as weights these would take 8 GiB, from nothing.

func.func @weights_of_one_number(%x: tensor<1x32768xf32> {nn.name = "x"}) -> (tensor<1x65536xf32> {nn.name = "y"}) {
  // expected-error @+1 {{weights expanded from one repeated number must take at most 4294967296 bytes in all, but take more}}
  %w = nn.constant dense<0.5> : tensor<32768x65536xf32>
  %0 = nn.matmul %x, %w : tensor<1x32768xf32>, tensor<32768x65536xf32>
  return %0 : tensor<1x65536xf32>
}
