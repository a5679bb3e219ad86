// RUN: nacre-opt %s --split-input-file --verify-diagnostics

func.func @scale_of_other_type(%x: tensor<2xf32>, %scale: tensor<f16>, %zero: tensor<i8>) {
  // expected-error@+1 {{operand and scale must have the same element type, but have 'f32' and 'f16'}}
  %0 = nn.quantize %x, %scale, %zero : tensor<2xf32>, tensor<f16>, tensor<i8>
  return
}

// -----

func.func @wide_codes(%x: tensor<2xf32>, %scale: tensor<f32>, %zero: tensor<i32>) {
  // expected-error@+1 {{'nn.quantize' op operand #2 must be}}
  %0 = nn.quantize %x, %scale, %zero : tensor<2xf32>, tensor<f32>, tensor<i32>
  return
}

// -----

func.func @zero_of_other_type(%x: tensor<2xi8>, %scale: tensor<f32>, %zero: tensor<ui8>) {
  // expected-error@+1 {{zero must have the operand's element type 'i8' or be a float, but has 'ui8'}}
  %0 = nn.dequantize %x, %scale, %zero : tensor<2xi8>, tensor<f32>, tensor<ui8>
  return
}

// -----

func.func @wrong_axis(%x: tensor<2x3xi8>, %scale: tensor<2xf32>, %zero: tensor<i8>) {
  // expected-error@+1 {{scale must be a scalar or have shape [3], but has shape [2]}}
  %0 = nn.dequantize %x, %scale, %zero {axis = 1} : tensor<2x3xi8>, tensor<2xf32>, tensor<i8>
  return
}

// -----

func.func @no_axis(%x: tensor<2x3xi8>, %scale: tensor<f32>, %zero: tensor<2xi8>) {
  // expected-error@+1 {{axis must be}}
  %0 = nn.dequantize %x, %scale, %zero {axis = 2} : tensor<2x3xi8>, tensor<f32>, tensor<2xi8>
  return
}

// -----

func.func @wrong_blocks(%x: tensor<2x5xi8>, %scale: tensor<2x2xf32>, %zero: tensor<i8>) {
  // expected-error@+1 {{scale must be a scalar or have shape [2, 3], but has shape [2, 2]}}
  %0 = nn.dequantize %x, %scale, %zero {axis = 1, block = 2} : tensor<2x5xi8>, tensor<2x2xf32>, tensor<i8>
  return
}

// -----

func.func @negative_block(%x: tensor<2x5xi8>, %scale: tensor<f32>, %zero: tensor<i8>) {
  // expected-error@+1 {{block must be 0 or more, but is -1}}
  %0 = nn.dequantize %x, %scale, %zero {block = -1} : tensor<2x5xi8>, tensor<f32>, tensor<i8>
  return
}
