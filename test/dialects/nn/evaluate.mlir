// RUN: nacre-opt %s --nacre-fold-constants --split-input-file | FileCheck %s

// Integers wrap to their width, unsigned ones compare as such, division truncates, mod follows the divisor's sign.

// CHECK-LABEL: func.func @integers(
// CHECK-DAG:     %[[SUM:[^ ,:()]+]] = nn.constant dense<[44, 0]> : tensor<2xui8>
// CHECK-DAG:     %[[MAX:[^ ,:()]+]] = nn.constant dense<[200, 255]> : tensor<2xui8>
// CHECK-DAG:     %[[LESS:[^ ,:()]+]] = nn.constant dense<[false, true]> : tensor<2xi1>
// CHECK-DAG:     %[[DIV:[^ ,:()]+]] = nn.constant dense<-3> : tensor<2xi32>
// CHECK-DAG:     %[[MOD:[^ ,:()]+]] = nn.constant dense<[1, -1]> : tensor<2xi32>
// CHECK-DAG:     %[[FMOD:[^ ,:()]+]] = nn.constant dense<[-1, 1]> : tensor<2xi32>
// CHECK-DAG:     %[[SHIFT:[^ ,:()]+]] = nn.constant dense<[100, 0]> : tensor<2xui8>
// CHECK:         return %[[SUM]], %[[MAX]], %[[LESS]], %[[DIV]], %[[MOD]], %[[FMOD]], %[[SHIFT]]
func.func @integers() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>,
                          tensor<2xui8>) {
  %a = nn.constant dense<[200, 1]> : tensor<2xui8>
  %b = nn.constant dense<[100, 255]> : tensor<2xui8>
  %one = nn.constant dense<1> : tensor<ui8>
  %c = nn.constant dense<[-7, 7]> : tensor<2xi32>
  %d = nn.constant dense<[2, -2]> : tensor<2xi32>
  %0 = nn.binary add %a, %b : tensor<2xui8>, tensor<2xui8>
  %1 = nn.binary max %a, %b : tensor<2xui8>, tensor<2xui8>
  %2 = nn.binary less %a, %b : tensor<2xui8>, tensor<2xui8>
  %3 = nn.binary div %c, %d : tensor<2xi32>, tensor<2xi32>
  %4 = nn.binary mod %c, %d : tensor<2xi32>, tensor<2xi32>
  %5 = nn.binary fmod %c, %d : tensor<2xi32>, tensor<2xi32>
  %6 = nn.binary shift_right %a, %one : tensor<2xui8>, tensor<ui8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xi32>, tensor<2xi32>,
                                      tensor<2xi32>, tensor<2xui8>
}

// -----

// What has no answer must not stop the compiler: division by zero, and the smallest number by -1.

// CHECK-LABEL: func.func @undefined_divisions(
// CHECK:         nn.constant dense<[0, -9223372036854775808]> : tensor<2xi64>
// CHECK:         nn.constant dense<0> : tensor<2xi64>
func.func @undefined_divisions() -> (tensor<2xi64>, tensor<2xi64>) {
  %a = nn.constant dense<[5, -9223372036854775808]> : tensor<2xi64>
  %b = nn.constant dense<[0, -1]> : tensor<2xi64>
  %0 = nn.binary div %a, %b : tensor<2xi64>, tensor<2xi64>
  %1 = nn.binary mod %a, %b : tensor<2xi64>, tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}

// -----

// The largest unsigned number is not -1.

// CHECK-LABEL: func.func @negative_powers(
// CHECK-DAG:     %[[SIGNED:[^ ,:()]+]] = nn.constant dense<[1, -1, 0]> : tensor<3xi64>
// CHECK-DAG:     %[[UNSIGNED:[^ ,:()]+]] = nn.constant dense<[1, 0, 0]> : tensor<3xui64>
// CHECK:         return %[[SIGNED]], %[[UNSIGNED]]
func.func @negative_powers() -> (tensor<3xi64>, tensor<3xui64>) {
  %a = nn.constant dense<[1, -1, 2]> : tensor<3xi64>
  %b = nn.constant dense<[1, 18446744073709551615, 2]> : tensor<3xui64>
  %exponent = nn.constant dense<-3> : tensor<i64>
  %0 = nn.binary pow %a, %exponent : tensor<3xi64>, tensor<i64>
  %1 = nn.binary pow %b, %exponent : tensor<3xui64>, tensor<i64>
  return %0, %1 : tensor<3xi64>, tensor<3xui64>
}

// -----

// Half floats round to nearest, halves to even, once; too large is infinity, tiny is denormal.

// CHECK-LABEL: func.func @half_floats(
// CHECK:         nn.constant dense<[1.000000e+00, 1.001950e+00, 0x7C00, 5.960460e-08, 0.000000e+00]> : tensor<5xf16>
// CHECK:         nn.constant dense<[1.000000e+00, 1.000000e+00, {{.*}}]> : tensor<5xbf16>
func.func @half_floats() -> (tensor<5xf16>, tensor<5xbf16>) {
  // 1 + 2^-11 is between 1 and 1 + 2^-10: even is 1. 1 + 3*2^-11: even is 1 + 2^-9. 2^-24 is the smallest, 2^-25 ties to 0.
  %a = nn.constant dense<[1.00048828125, 1.00146484375, 65520.0, 5.9604644775390625e-08, 2.98023223876953125e-08]> : tensor<5xf32>
  %0 = nn.cast %a : tensor<5xf32> to tensor<5xf16>
  %1 = nn.cast %a : tensor<5xf32> to tensor<5xbf16>
  return %0, %1 : tensor<5xf16>, tensor<5xbf16>
}

// -----

// Casts: floats truncate, saturate at the ends, NaN is 0; anything but zero is true.

// CHECK-LABEL: func.func @casts(
// CHECK:         nn.constant dense<[-1, 127, -128, 0]> : tensor<4xi8>
// CHECK:         nn.constant dense<true> : tensor<4xi1>
// CHECK:         nn.constant dense<1.84467441E+19> : tensor<1xf32>
func.func @casts() -> (tensor<4xi8>, tensor<4xi1>, tensor<1xf32>) {
  %a = nn.constant dense<[-1.9, 300.0, -300.0, 0x7FC00000]> : tensor<4xf32>
  %u = nn.constant dense<[18446744073709551615]> : tensor<1xui64>
  %0 = nn.cast %a : tensor<4xf32> to tensor<4xi8>
  %1 = nn.cast %a : tensor<4xf32> to tensor<4xi1>
  %2 = nn.cast %u : tensor<1xui64> to tensor<1xf32>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi1>, tensor<1xf32>
}

// -----

// Reductions: NaN wins over numbers, a mean of integers truncates, products and sums combine along the axes given.

// CHECK-LABEL: func.func @reductions(
// CHECK-DAG:     nn.constant dense<[4.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-DAG:     nn.constant dense<{{\[}}[1.500000e+00], [3.500000e+00]]> : tensor<2x1xf32>
// CHECK-DAG:     nn.constant dense<0x7FC00000> : tensor<f32>
// CHECK-DAG:     nn.constant dense<[1, 0]> : tensor<2xi64>
// CHECK-DAG:     nn.constant dense<{{\[}}[11, 14], [25, 32]]> : tensor<2x2xi32>
func.func @reductions() -> (tensor<2xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xi64>, tensor<2x2xi32>) {
  %x = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %nan = nn.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %i = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %j = nn.constant dense<[[3, 4], [4, 5]]> : tensor<2x2xi32>
  %k = nn.constant dense<[[1, 9], [7, 7]]> : tensor<2x2xi32>
  %0 = nn.reduce sum %x {axes = array<i64: 0>} : tensor<2x2xf32>
  %1 = nn.reduce mean %x {axes = array<i64: 1>, keep_dims} : tensor<2x2xf32>
  %2 = nn.reduce max %nan {axes = array<i64: 0>} : tensor<2xf32>
  %3 = nn.arg_reduce max %k {axis = 1} : tensor<2x2xi32>
  %4 = nn.matmul %i, %j : tensor<2x2xi32>, tensor<2x2xi32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xi64>, tensor<2x2xi32>
}

// -----

// Every way to move elements, of constants that are not splats.

// CHECK-LABEL: func.func @movements(
// CHECK-NEXT:    nn.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[6, 4], [3, 1]]> : tensor<2x2xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[3, 1, 2], [6, 4, 5]]> : tensor<2x3xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[1, 2, 3, 1], [4, 5, 6, 4]]> : tensor<2x4xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[9, 9, 9, 9], [9, 2, 3, 9]]> : tensor<2x4xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[3, 2, 1, 2, 3, 2], [6, 5, 4, 5, 6, 5]]> : tensor<2x6xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[1, 1, 2, 3, 3], [4, 4, 5, 6, 6]]> : tensor<2x5xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[3, 1, 2, 3, 1], [6, 4, 5, 6, 4]]> : tensor<2x5xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}{{\[}}[1, 2, 3], [4, 5, 6]], {{\[}}[1, 2, 3], [4, 5, 6]]]> : tensor<2x2x3xi8>
func.func @movements() -> (tensor<3x2xi8>, tensor<2x2xi8>, tensor<2x3xi8>, tensor<2x4xi8>, tensor<2x4xi8>,
                           tensor<2x6xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x2x3xi8>) {
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %i = nn.constant dense<[-1, 0, 1]> : tensor<3xi64>
  %0 = nn.transpose %x [1, 0] : tensor<2x3xi8>
  %1 = nn.slice %x [1, 2] [2, 2] [-1, -2] : tensor<2x3xi8>
  %2 = nn.gather %x, %i {axis = 1} : tensor<2x3xi8>, tensor<3xi64>
  %3 = nn.slice %x [0, 0] [2, 1] [1, 1] : tensor<2x3xi8>
  %4 = nn.concat %x, %3 {axis = 1} : tensor<2x3xi8>, tensor<2x1xi8>
  %6 = nn.pad constant %x [1, -1] [-1, 1] 9 : i8 : tensor<2x3xi8>
  %7 = nn.pad constant %6 [0, 1] [0, 0] 9 : i8 : tensor<2x3xi8>
  %8 = nn.pad reflect %x [0, 2] [0, 1] 0 : i8 : tensor<2x3xi8>
  %9 = nn.pad edge %x [0, 1] [0, 1] 0 : i8 : tensor<2x3xi8>
  %10 = nn.pad wrap %x [0, 1] [0, 1] 0 : i8 : tensor<2x3xi8>
  %11 = nn.broadcast %x : tensor<2x3xi8> to tensor<2x2x3xi8>
  return %0, %1, %2, %4, %7, %8, %9, %10, %11 : tensor<3x2xi8>, tensor<2x2xi8>, tensor<2x3xi8>, tensor<2x4xi8>,
      tensor<2x4xi8>, tensor<2x6xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x2x3xi8>
}

// -----

// Splats stay splats, so that a filled tensor of any size costs one element.

// CHECK-LABEL: func.func @splats(
// CHECK-NEXT:    nn.constant dense<3.000000e+00> : tensor<100000x100000xf32>
// CHECK-NEXT:    return
func.func @splats() -> tensor<100000x100000xf32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<100000x1xf32>
  %0 = nn.broadcast %one : tensor<f32> to tensor<100000x100000xf32>
  %1 = nn.transpose %0 [1, 0] : tensor<100000x100000xf32>
  %2 = nn.binary add %1, %two : tensor<100000x100000xf32>, tensor<100000x1xf32>
  return %2 : tensor<100000x100000xf32>
}

// -----

// Empty tensors have values too.

// CHECK-LABEL: func.func @empty(
// CHECK-NEXT:    nn.constant dense<> : tensor<0x2xf32>
// CHECK-NEXT:    nn.constant dense<0.000000e+00> : tensor<2xf32>
func.func @empty() -> (tensor<0x2xf32>, tensor<2xf32>) {
  %x = nn.constant dense<> : tensor<2x0xf32>
  %0 = nn.transpose %x [1, 0] : tensor<2x0xf32>
  %1 = nn.reduce sum %x {axes = array<i64: 1>} : tensor<2x0xf32>
  return %0, %1 : tensor<0x2xf32>, tensor<2xf32>
}

// -----

// Sums of integers wrap in their own type before a mean divides them; the mean of nothing is 0.

// CHECK-LABEL: func.func @integer_means(
// CHECK-NEXT:    nn.constant dense<-28> : tensor<i8>
// CHECK-NEXT:    nn.constant dense<72> : tensor<ui8>
// CHECK-NEXT:    nn.constant dense<0> : tensor<2xi32>
func.func @integer_means() -> (tensor<i8>, tensor<ui8>, tensor<2xi32>) {
  %a = nn.constant dense<100> : tensor<2xi8>
  %b = nn.constant dense<200> : tensor<2xui8>
  %c = nn.constant dense<> : tensor<2x0xi32>
  %0 = nn.reduce mean %a {axes = array<i64: 0>} : tensor<2xi8>
  %1 = nn.reduce mean %b {axes = array<i64: 0>} : tensor<2xui8>
  %2 = nn.reduce mean %c {axes = array<i64: 1>} : tensor<2x0xi32>
  return %0, %1, %2 : tensor<i8>, tensor<ui8>, tensor<2xi32>
}

// -----

// What a shift by the width or more leaves: nothing, or the sign.

// CHECK-LABEL: func.func @shifts(
// CHECK-NEXT:    nn.constant dense<[-128, 0, 0]> : tensor<3xi8>
// CHECK-NEXT:    nn.constant dense<-1> : tensor<3xi8>
// CHECK-NEXT:    nn.constant dense<[1, 0, 0]> : tensor<3xui8>
func.func @shifts() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xui8>) {
  %a = nn.constant dense<-77> : tensor<3xi8>
  %b = nn.constant dense<179> : tensor<3xui8>
  %n = nn.constant dense<[7, 8, -1]> : tensor<3xi8>
  %m = nn.constant dense<[7, 8, 255]> : tensor<3xui8>
  %0 = nn.binary shift_left %a, %n : tensor<3xi8>, tensor<3xi8>
  %1 = nn.binary shift_right %a, %n : tensor<3xi8>, tensor<3xi8>
  %2 = nn.binary shift_right %b, %m : tensor<3xui8>, tensor<3xui8>
  return %0, %1, %2 : tensor<3xi8>, tensor<3xi8>, tensor<3xui8>
}

// -----

// Integers are rounded once to f32, through which narrower floats go; floats that do not fit become the end of the range.

// CHECK-LABEL: func.func @conversions(
// CHECK-NEXT:    nn.constant dense<1.15292164E+18> : tensor<f32>
// CHECK-NEXT:    nn.constant dense<1.84467441E+19> : tensor<f32>
// CHECK-NEXT:    nn.constant dense<[255, 0, 0]> : tensor<3xui8>
// CHECK-NEXT:    nn.constant dense<[2147483647, -2147483648, 0]> : tensor<3xi32>
func.func @conversions() -> (tensor<f32>, tensor<f32>, tensor<3xui8>, tensor<3xi32>) {
  %a = nn.constant dense<1152921573326323713> : tensor<i64>
  %b = nn.constant dense<18446744073709551615> : tensor<ui64>
  %c = nn.constant dense<[1.0e10, -1.0e10, 0x7FC00000]> : tensor<3xf32>
  %0 = nn.cast %a : tensor<i64> to tensor<f32>
  %1 = nn.cast %b : tensor<ui64> to tensor<f32>
  %2 = nn.cast %c : tensor<3xf32> to tensor<3xui8>
  %3 = nn.cast %c : tensor<3xf32> to tensor<3xi32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<3xui8>, tensor<3xi32>
}

// -----

// Softmax, its logarithm, and functions of numbers.

// CHECK-LABEL: func.func @functions(
// CHECK-NEXT:    nn.constant dense<{{\[}}[2.500000e-01, 7.500000e-01]]> : tensor<1x2xf32>
// CHECK-NEXT:    nn.constant dense<{{\[}}[-1.38629436, -0.287682086]]> : tensor<1x2xf32>
// CHECK-NEXT:    nn.constant dense<[2.000000e+00, -2.000000e+00, 0.000000e+00, 2.000000e+00]> : tensor<4xf32>
// CHECK-NEXT:    nn.constant dense<[2.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]> : tensor<4xf32>
func.func @functions() -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<4xf32>, tensor<4xf32>) {
  // exp of the difference is 3.
  %x = nn.constant dense<[[100.0, 101.09861228866811]]> : tensor<1x2xf64>
  %y = nn.constant dense<[2.5, -1.5, 0.5, 1.5]> : tensor<4xf32>
  %0 = nn.softmax %x {axis = 1} : tensor<1x2xf64>
  %1 = nn.softmax %x {axis = 1, log} : tensor<1x2xf64>
  %2 = nn.cast %0 : tensor<1x2xf64> to tensor<1x2xf32>
  %3 = nn.cast %1 : tensor<1x2xf64> to tensor<1x2xf32>
  %4 = nn.unary round %y : tensor<4xf32>
  %5 = nn.unary leaky_relu %y {alpha = 0.3333333333333333} : tensor<4xf32>
  return %2, %3, %4, %5 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Two updates of one element keep their order; what is out of range is left out of a scatter, and clamped in a gather;
// -1 is the last.

// CHECK-LABEL: func.func @indexed
// CHECK-NEXT:    nn.constant dense<[4, 6, 1]> : tensor<3xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[3, 3, 1], [4, 5, 6]]> : tensor<2x3xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[1, 2, 3], [4, 5, 8]]> : tensor<2x3xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[1, 2, 17], [4, 5, 6]]> : tensor<2x3xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[1, 3, 6], [4, 9, 15]]> : tensor<2x3xi8>
// CHECK-NEXT:    nn.constant dense<{{\[}}[6, 3, 1], [30, 6, 1]]> : tensor<2x3xi8>
func.func @indexed() -> (tensor<3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>) {
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %at = nn.constant dense<[[1, 0], [-1, 9], [0, -9]]> : tensor<3x2xi64>
  %0 = nn.gather_nd %x, %at {batch_dims = 0} : tensor<2x3xi8>, tensor<3x2xi64>
  %each = nn.constant dense<[[2, 9, -9], [0, 1, 2]]> : tensor<2x3xi64>
  %1 = nn.gather_elements %x, %each {axis = 1} : tensor<2x3xi8>, tensor<2x3xi64>
  %places = nn.constant dense<[[-1, -1], [1, 2], [2, 0]]> : tensor<3x2xi64>
  %updates = nn.constant dense<[7, 8, 9]> : tensor<3xi8>
  %2 = nn.scatter_nd set %x, %places, %updates : tensor<2x3xi8>, tensor<3x2xi64>, tensor<3xi8>
  %one = nn.constant dense<[[2, -1, 3]]> : tensor<1x3xi64>
  %row = nn.constant dense<[[7, 7, 7]]> : tensor<1x3xi8>
  %3 = nn.scatter_elements add %x, %one, %row {axis = 1} : tensor<2x3xi8>, tensor<1x3xi64>, tensor<1x3xi8>
  %4 = nn.cumulate sum %x {axis = 1} : tensor<2x3xi8>
  %5 = nn.cumulate prod %x {axis = 1, exclusive, reverse} : tensor<2x3xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>, tensor<2x3xi8>
}

// -----

// Bytes are added up in 32 bits, each by its own sign: 200 * -100 + 255 * 100.

// CHECK-LABEL: func.func @products_of_bytes(
// CHECK:         nn.constant dense<5500> : tensor<1x1xi32>
func.func @products_of_bytes() -> tensor<1x1xi32> {
  %a = nn.constant dense<[[200, 255]]> : tensor<1x2xui8>
  %b = nn.constant dense<[[-100], [100]]> : tensor<2x1xi8>
  %0 = nn.matmul %a, %b : tensor<1x2xui8>, tensor<2x1xi8>
  return %0 : tensor<1x1xi32>
}

// -----

// Of 0.3 * -31618 = -9485.4 two roundings make -9486 (TensorFlow Lite's reference does), one -9485.

// CHECK-LABEL: func.func @requantize(
// CHECK-DAG:     nn.constant dense<[-9486, -2269]> : tensor<2xi32>
// CHECK-DAG:     nn.constant dense<[-9485, -2268]> : tensor<2xi32>
func.func @requantize() -> (tensor<2xi32>, tensor<2xi32>) {
  %x = nn.constant dense<[-31618, -7561]> : tensor<2xi32>
  %m = nn.constant dense<1288490240> : tensor<i32>
  %s = nn.constant dense<-1> : tensor<i32>
  %0 = nn.requantize double %x by %m shift %s : tensor<2xi32>, tensor<i32>, tensor<i32>
  %1 = nn.requantize single %x by %m shift %s : tensor<2xi32>, tensor<i32>, tensor<i32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}

// -----

// Indices of what is true, then the length of the mask.

// CHECK-LABEL: func.func @compact(
// CHECK:         nn.constant dense<[0, 2, 4, 4]> : tensor<4xi64>
func.func @compact() -> tensor<4xi64> {
  %m = nn.constant dense<[true, false, true, false]> : tensor<4xi1>
  %0 = nn.compact %m : tensor<4xi1>
  return %0 : tensor<4xi64>
}

// -----

// Bits stay where they are: the first of several elements is in the lowest.

// CHECK-LABEL: func.func @bits(
// CHECK-DAG:     %[[JOINED:[^ ,:()]+]] = nn.constant dense<[33, -32]> : tensor<2xi8>
// CHECK-DAG:     %[[SPLIT:[^ ,:()]+]] = nn.constant dense<{{\[\[}}0, 0, 128, 63], [0, 0, 0, 192]]> : tensor<2x4xui8>
// CHECK-DAG:     %[[SAME:[^ ,:()]+]] = nn.constant dense<1.000000e+00> : tensor<f8E4M3FN>
// CHECK:         return %[[JOINED]], %[[SPLIT]], %[[SAME]]
func.func @bits() -> (tensor<2xi8>, tensor<2x4xui8>, tensor<f8E4M3FN>) {
  %a = nn.constant dense<[[1, 2], [0, -2]]> : tensor<2x2xi4>
  %b = nn.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %c = nn.constant dense<56> : tensor<ui8>
  %0 = nn.bitcast %a : tensor<2x2xi4> to tensor<2xi8>
  %1 = nn.bitcast %b : tensor<2xf32> to tensor<2x4xui8>
  %2 = nn.bitcast %c : tensor<ui8> to tensor<f8E4M3FN>
  return %0, %1, %2 : tensor<2xi8>, tensor<2x4xui8>, tensor<f8E4M3FN>
}

// -----

// Narrow floats saturate unless told not to; narrow integers wrap.

// CHECK-LABEL: func.func @narrow(
// CHECK-DAG:     %[[ENDS:[^ ,:()]+]] = nn.constant dense<[4.480000e+02, 1.000000e+00]> : tensor<2xf8E4M3FN>
// CHECK-DAG:     %[[BEYOND:[^ ,:()]+]] = nn.constant dense<[0x7C, 1.000000e+00]> : tensor<2xf8E5M2>
// CHECK-DAG:     %[[WRAPPED:[^ ,:()]+]] = nn.constant dense<[0, 1]> : tensor<2xi4>
// CHECK:         return %[[ENDS]], %[[BEYOND]], %[[WRAPPED]]
func.func @narrow() -> (tensor<2xf8E4M3FN>, tensor<2xf8E5M2>, tensor<2xi4>) {
  %x = nn.constant dense<[65536.0, 1.03]> : tensor<2xf32>
  %0 = nn.cast %x : tensor<2xf32> to tensor<2xf8E4M3FN>
  %1 = nn.cast %x {overflows} : tensor<2xf32> to tensor<2xf8E5M2>
  %2 = nn.cast %x : tensor<2xf32> to tensor<2xi4>
  return %0, %1, %2 : tensor<2xf8E4M3FN>, tensor<2xf8E5M2>, tensor<2xi4>
}
