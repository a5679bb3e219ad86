// RUN: nacre-opt %s --split-input-file --verify-diagnostics

func.func @no_broadcast(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{shapes must broadcast, but are [2, 3] and [4]}}
  %0 = nn.binary add %a, %b : tensor<2x3xf32>, tensor<4xf32>
  return
}

// -----

func.func @mixed_elements(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{'add' must have operands of the same element type, but has 'f32' and 'f64'}}
  %0 = nn.binary add %a, %b : tensor<3xf32>, tensor<3xf64>
  return
}

// -----

func.func @function_of_integers(%a: tensor<3xi32>) {
  // expected-error@+1 {{'exp' must have an operand of a supported type, but has 'i32'}}
  %0 = nn.unary exp %a : tensor<3xi32>
  return
}

// -----

func.func @inner_dimensions(%a: tensor<2x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{the last dimension of the left operand must equal the second-last of the right, but they are 3 and 4}}
  %0 = nn.matmul %a, %b : tensor<2x3xf32>, tensor<4x2xf32>
  return
}

// -----

func.func @missing_attribute(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{requires attribute 'axis'}}
  %0 = nn.softmax %a : tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_shape(%a: tensor<?xf32>) {
  // expected-error@+1 {{operands must be tensors of static shape, but one is 'tensor<?xf32>'}}
  %0 = nn.unary exp %a : tensor<?xf32>
  return
}

// -----

func.func @window_too_large(%a: tensor<1x2x2x1xf32>, %w: tensor<3x3x1x1xf32>) {
  // expected-error@+1 {{the window of spatial axis 0 must fit into 2 padded elements, but covers 3}}
  %0 = nn.conv %a, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                       groups = 1} : tensor<1x2x2x1xf32>, tensor<3x3x1x1xf32>
  return
}

// -----

func.func @gradient_of_another(%a: tensor<2x9x4xf32>, %g: tensor<2x8x6xf32>) {
  // expected-error@+1 {{gradient must have the shape of the convolution's result, [2, 7, 6], but has shape [2, 8, 6]}}
  %0 = nn.filter_gradient %a, %g {kernel = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : tensor<2x9x4xf32>, tensor<2x8x6xf32>
  return
}

// -----

func.func @unequal_parts(%a: tensor<4x9x4xf32>, %g: tensor<4x7x6xf32>) {
  // expected-error@+1 {{parts must be two numbers that divide the images and the rows of a gradient of shape [4, 7, 6], but are [2, 2]}}
  %0 = nn.filter_gradient %a, %g {kernel = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, parts = array<i64: 2, 2>} : tensor<4x9x4xf32>, tensor<4x7x6xf32>
  return
}

// -----

func.func @pads_leave_nothing(%a: tensor<1x2x1xf32>, %w: tensor<3x1x1xf32>) {
  // expected-error@+1 {{the pads of spatial axis 0 must leave some of its 5 elements}}
  %0 = nn.conv_transpose %a, %w {strides = array<i64: 2>, pads = array<i64: 2, 3>, dilations = array<i64: 1>,
                                 groups = 1} : tensor<1x2x1xf32>, tensor<3x1x1xf32>
  return
}

// -----

func.func @parts_do_not_fit(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{operand 0 must hold its share of the result's elements, [3, 3], but has shape [2, 3]}}
  %0 = nn.interleave %a, %b {strides = array<i64: 2, 1>} : tensor<2x3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @too_large(%a: tensor<1x4294967296xf32>, %b: tensor<4294967296x1xf32>) {
  // expected-error@+1 {{the result must fit into memory}}
  %0 = nn.binary add %a, %b : tensor<1x4294967296xf32>, tensor<4294967296x1xf32>
  return
}

// -----

func.func @wrong_pad_value(%a: tensor<3xf32>) {
  // expected-error@+1 {{value must be a scalar of the operand's element type 'f32', but is 0 : i64}}
  %0 = nn.pad constant %a [0] [1] 0 : i64 : tensor<3xf32>
  return
}

// -----

func.func @reflection_too_far(%a: tensor<3xf32>) {
  // expected-error@+1 {{axis 0 of extent 3 must be padded by at most 2 in this mode, but is padded by 0 and 3}}
  %0 = nn.pad reflect %a [0] [3] 0.0 : f32 : tensor<3xf32>
  return
}

// -----

func.func @element_count(%a: tensor<3xf32>) {
  // expected-error@+1 {{result must have as many elements as the operand, but they are 'tensor<2xf32>' and 'tensor<3xf32>'}}
  %0 = nn.reshape %a : tensor<3xf32> to tensor<2xf32>
  return
}

// -----

func.func @reshape_converts(%a: tensor<3xf32>) {
  // expected-error@+1 {{result must have the operand's element type 'f32', but has 'i32'}}
  %0 = nn.reshape %a : tensor<3xf32> to tensor<3xi32>
  return
}

// -----

func.func @broadcast_shrinks(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand must broadcast to the result, but they are 'tensor<3xf32>' and 'tensor<1xf32>'}}
  %0 = nn.broadcast %a : tensor<3xf32> to tensor<1xf32>
  return
}

// -----

func.func @cast_reshapes(%a: tensor<3xf32>) {
  // expected-error@+1 {{result must have the operand's shape, but they are 'tensor<1x3xi32>' and 'tensor<3xf32>'}}
  %0 = nn.cast %a : tensor<3xf32> to tensor<1x3xi32>
  return
}

// -----

func.func @resamples_beyond_the_axis(%a: tensor<3xf32>) {
  // expected-error@+1 {{indices of axis 0 must lie between 0 and its extent 3, but one does not}}
  %0 = nn.resample %a {axes = array<i64: 0>, indices = [dense<[[0], [3]]> : tensor<2x1xi32>],
                       weights = [dense<1.0> : tensor<2x1xf32>]} : tensor<3xf32>
  return
}

// -----

func.func @weighs_integers(%a: tensor<3xi32>) {
  // expected-error@+1 {{operand must hold floats to be weighted, but is 'tensor<3xi32>'}}
  %0 = nn.resample %a {axes = array<i64: 0>, indices = [dense<0> : tensor<2x1xi32>],
                       weights = [dense<0.5> : tensor<2x1xf32>]} : tensor<3xi32>
  return
}

// -----

func.func @tables_differ(%a: tensor<3xf32>) {
  // expected-error@+1 {{tables must be positions by taps, 67108864 at most, but are 'tensor<2x1xi32>' and 'tensor<1x2xf32>'}}
  %0 = nn.resample %a {axes = array<i64: 0>, indices = [dense<0> : tensor<2x1xi32>],
                       weights = [dense<0.5> : tensor<1x2xf32>]} : tensor<3xf32>
  return
}

// -----

func.func @sample_has_other_rows(%x: tensor<2x8x9x3xf32>, %at: tensor<6x4x5x2xf32>) {
  // expected-error@+1 {{each of 6 rows of positions must have an image, but there are 2}}
  %0 = nn.sample linear zeros %x, %at : tensor<2x8x9x3xf32>, tensor<6x4x5x2xf32>
  return
}

// -----

func.func @sample_between_integers(%x: tensor<1x8x9x3xi8>, %at: tensor<1x4x2xf32>) {
  // expected-error@+1 {{input must hold floats to be interpolated, but is 'tensor<1x8x9x3xi8>'}}
  %0 = nn.sample linear zeros %x, %at : tensor<1x8x9x3xi8>, tensor<1x4x2xf32>
  return
}

// -----

func.func @recurrence_shape(%x: tensor<7x2x5xf32>, %w: tensor<5x9xf32>, %r: tensor<3x12xf32>) {
  // expected-error@+1 {{weights must have shape [5, 12], but is 'tensor<5x9xf32>'}}
  %0:3 = nn.recurrent lstm %x, %w, %r
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<7x2x5xf32>, tensor<5x9xf32>, tensor<3x12xf32>
  return
}

// -----

func.func @recurrence_activations(%x: tensor<7x2x5xf32>, %w: tensor<5x9xf32>, %r: tensor<3x9xf32>) {
  // expected-error@+1 {{must have 2 activations, but has 1}}
  %0:3 = nn.recurrent gru %x, %w, %r {activations = [#nn<unary_kind tanh>]}
      : tensor<7x2x5xf32>, tensor<5x9xf32>, tensor<3x9xf32>
  return
}

// -----

func.func @recurrence_element(%x: tensor<7x2x5xf32>, %w: tensor<5x12xf16>, %r: tensor<3x12xf32>) {
  // expected-error@+1 {{weights must have the input's element type 'f32', but has 'f16'}}
  %0:3 = nn.recurrent lstm %x, %w, %r
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<7x2x5xf32>, tensor<5x12xf16>, tensor<3x12xf32>
  return
}

// -----

// The hidden states alone would fit.

func.func @recurrence_size(%x: tensor<1048576x1048576x1xf32>, %w: tensor<1x512xf32>, %r: tensor<128x512xf32>) {
  // expected-error@+1 {{must fit into memory, but have shape [1048576, 1048576, 512]}}
  %0:3 = nn.recurrent lstm %x, %w, %r
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<1048576x1048576x1xf32>, tensor<1x512xf32>, tensor<128x512xf32>
  return
}

// -----

func.func @lrn_size(%x: tensor<1x4xf32>) {
  // expected-error@+1 {{the channel-padded operand must fit into memory, but size is 9223372036854775807}}
  %0 = nn.lrn %x {size = 9223372036854775807 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : tensor<1x4xf32>
  return
}

// -----

func.func @lrn_negative_size(%x: tensor<1x4xf32>) {
  // expected-error@+1 {{size must be 1 or more and the operand must have channels, but size is -1}}
  %0 = nn.lrn %x {size = -1 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : tensor<1x4xf32>
  return
}

// -----

func.func @edge_of_nothing(%x: tensor<0xf32>) {
  // expected-error@+1 {{axis 0 of extent 0 must be padded by at most 0 in this mode}}
  %0 = nn.pad edge %x [1] [0] 0.0 : f32 : tensor<0xf32>
  return
}

// -----

func.func @nothing_to_normalize_over(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axes must name at least one axis to normalize over}}
  %0 = nn.normalize %x {axes = array<i64>, epsilon = 1.0e-5} : tensor<2x3xf32>
  return
}

// -----

func.func @coordinates_of_no_axis(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>) {
  // expected-error@+1 {{indices must hold 1 to 2 coordinates along their last axis, but hold 3}}
  %0 = nn.gather_nd %x, %i {batch_dims = 0} : tensor<2x3xf32>, tensor<4x3xi64>
  return
}

// -----

func.func @sums_of_truths(%x: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error@+1 {{'add' must change numbers, but changes 'i1'}}
  %0 = nn.scatter_elements add %x, %i, %x {axis = 0} : tensor<2xi1>, tensor<2xi64>, tensor<2xi1>
  return
}

// -----

func.func @updates_of_another_type(%x: tensor<2xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf64>) {
  // expected-error@+1 {{updates must have the operand's element type 'f32', but have 'f64'}}
  %0 = nn.scatter_nd set %x, %i, %u : tensor<2xf32>, tensor<2x1xi64>, tensor<2xf64>
  return
}

// -----

func.func @running_truths(%x: tensor<2xi1>) {
  // expected-error@+1 {{operand must hold numbers, but holds 'i1'}}
  %0 = nn.cumulate sum %x {axis = 0} : tensor<2xi1>
  return
}

// -----

func.func @padding_beyond_the_type(%a: tensor<1x4x4x1xi8>, %w: tensor<3x3x1x1xi8>) {
  // expected-error@+1 {{pad_value must be a number of the input's type, 0 for floats, but is 128}}
  %0 = nn.conv %a, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
                       groups = 1, pad_value = 128} : tensor<1x4x4x1xi8>, tensor<3x3x1x1xi8>
  return
}

// -----

func.func @padding_of_floats(%a: tensor<1x4x4x1xf32>, %w: tensor<3x3x1x1xf32>) {
  // expected-error@+1 {{pad_value must be a number of the input's type, 0 for floats, but is 1}}
  %0 = nn.conv %a, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
                       groups = 1, pad_value = 1} : tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>
  return
}

// -----

func.func @bytes_by_floats(%a: tensor<1x4x4x1xi8>, %w: tensor<3x3x1x1xf32>) {
  // expected-error@+1 {{input and filter must have the same numeric element type, but have 'i8' and 'f32'}}
  %0 = nn.conv %a, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                       groups = 1} : tensor<1x4x4x1xi8>, tensor<3x3x1x1xf32>
  return
}

// -----

func.func @wide_by_narrow(%a: tensor<2x3xi32>, %b: tensor<3x2xi8>) {
  // expected-error@+1 {{operands must have the same numeric element type, but have 'i32' and 'i8'}}
  %0 = nn.matmul %a, %b : tensor<2x3xi32>, tensor<3x2xi8>
  return
}

// -----

func.func @more_than_there_are(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{k must lie between 0 and the 3 elements along axis 1, but is 4}}
  %0, %1 = nn.top_k %x {axis = 1 : i64, k = 4 : i64} : tensor<2x3xf32>
  return
}

// -----

func.func @mask_of_two_axes(%m: tensor<2x3xi1>) {
  // expected-error@+1 {{the mask must have one axis, but has 2}}
  %0 = nn.compact %m : tensor<2x3xi1>
  return
}

// -----

func.func @rows_of_a_list(%x: tensor<3xf32>) {
  // expected-error@+1 {{the rows must be those of a matrix, but there are 1 axes}}
  %0, %1, %2 = nn.unique %x : tensor<3xf32>
  return
}

// -----

func.func @boxes_without_scores(%b: tensor<1x6x4xf32>, %s: tensor<1x2x5xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{boxes must be [B, N, 4] and scores [B, C, N], but they are 'tensor<1x6x4xf32>' and 'tensor<1x2x5xf32>'}}
  %0, %1 = nn.nms %b, %s, %n, %t {limit = 3 : i64} : tensor<1x6x4xf32>, tensor<1x2x5xf32>, tensor<i64>, tensor<f32>
  return
}

// -----

func.func @scores_of_another_width(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf64>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@+1 {{boxes, scores and thresholds must all be f64 or none of them, but are 'f32' and 'f64'}}
  %0, %1 = nn.nms %b, %s, %n, %t {limit = 3 : i64} : tensor<1x6x4xf32>, tensor<1x2x6xf64>, tensor<i64>, tensor<f32>
  return
}

// -----

func.func @bits_of_no_whole_element(%a: tensor<2x3xi8>) {
  // expected-error@+1 {{result must have the operand's bits, with a last axis that counts the parts of a wider element, but they are 'tensor<2xi16>' and 'tensor<2x3xi8>'}}
  %0 = nn.bitcast %a : tensor<2x3xi8> to tensor<2xi16>
  return
}

// -----

func.func @bits_of_booleans(%a: tensor<2xi1>) {
  // expected-error@+1 {{must not be booleans}}
  %0 = nn.bitcast %a : tensor<2xi1> to tensor<2xui8>
  return
}

// -----

func.func @narrow_types_are_not_computed_with(%a: tensor<3xf8E5M2>) {
  // expected-error@+1 {{operand #0 must be statically shaped tensor of}}
  %0 = nn.unary abs %a : tensor<3xf8E5M2>
  return
}
