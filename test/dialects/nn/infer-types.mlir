// RUN: nacre-opt %s | nacre-opt | FileCheck %s

// Result types follow from operands and attributes, and survive printing and parsing. ShapeRules have unit tests; here is
// one of each operator.

// CHECK-LABEL: func.func @every_operator(
func.func @every_operator(%image: tensor<1x8x8x4xf32>, %m: tensor<5x2x3xf32>, %i: tensor<2x2xi64>, %c: tensor<3xi1>) {
  %filter = nn.constant dense<1.0> : tensor<3x3x2x6xf32>
  %back = nn.constant dense<1.0> : tensor<3x3x3x2xf32>
  // CHECK: nn.unary is_nan %{{.*}} : tensor<5x2x3xf32>
  %nan = nn.unary is_nan %m : tensor<5x2x3xf32>
  // CHECK: nn.select %{{.*}} : tensor<5x2x3xi1>, tensor<5x2x3xf32>, tensor<5x2x3xf32>
  %select = nn.select %nan, %m, %m : tensor<5x2x3xi1>, tensor<5x2x3xf32>, tensor<5x2x3xf32>
  // CHECK: %[[LESS:[^ ,:()]+]] = nn.binary less
  %less = nn.binary less %select, %m : tensor<5x2x3xf32>, tensor<5x2x3xf32>
  // CHECK: nn.binary and %[[LESS]], %{{.*}} : tensor<5x2x3xi1>, tensor<3xi1>
  %and = nn.binary and %less, %c : tensor<5x2x3xi1>, tensor<3xi1>
  %t = nn.transpose %m [0, 2, 1] : tensor<5x2x3xf32>
  // CHECK: %[[PRODUCT:[^ ,:()]+]] = nn.matmul
  %product = nn.matmul %m, %t : tensor<5x2x3xf32>, tensor<5x3x2xf32>
  // CHECK: nn.softmax %[[PRODUCT]] {axis = 2 : i64} : tensor<5x2x2xf32>
  %softmax = nn.softmax %product {axis = 2} : tensor<5x2x2xf32>
  // CHECK: %[[CONV:[^ ,:()]+]] = nn.conv
  %conv = nn.conv %image, %filter {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, groups = 2} : tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>
  // CHECK: %[[UP:[^ ,:()]+]] = nn.conv_transpose %[[CONV]]
  %up = nn.conv_transpose %conv, %back {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>,
      dilations = array<i64: 1, 1>, groups = 2} : tensor<1x4x4x6xf32>, tensor<3x3x3x2xf32>
  // CHECK: nn.filter_gradient %[[CONV]], %{{.*}} : tensor<1x4x4x6xf32>, tensor<1x2x1x6xf32>
  %ofconv = nn.slice %conv [0, 0, 0, 0] [1, 2, 1, 6] [1, 1, 1, 1] : tensor<1x4x4x6xf32>
  // CHECK: nn.unary relu %{{.*}} : tensor<2x2x6x6xf32>
  %dw = nn.filter_gradient %conv, %ofconv {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 3>} : tensor<1x4x4x6xf32>, tensor<1x2x1x6xf32>
  %ofdw = nn.unary relu %dw : tensor<2x2x6x6xf32>
  // CHECK: nn.interleave %[[UP]], %[[UP]] {strides = array<i64: 1, 2, 1, 1>} : tensor<1x8x8x2xf32>, tensor<1x8x8x2xf32>
  %woven = nn.interleave %up, %up {strides = array<i64: 1, 2, 1, 1>} : tensor<1x8x8x2xf32>, tensor<1x8x8x2xf32>
  // CHECK: nn.unary relu %{{.*}} : tensor<1x16x8x2xf32>
  %rectified = nn.unary relu %woven : tensor<1x16x8x2xf32>
  // CHECK: %[[POOL:[^ ,:()]+]] = nn.pool average %[[CONV]] {{.*}} : tensor<1x4x4x6xf32>
  %pool = nn.pool average %conv {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 1, 1>, count_padding} : tensor<1x4x4x6xf32>
  // CHECK: %[[CODE:[^ ,:()]+]] = nn.pool_code %[[CONV]], %[[POOL]] {{.*}} : tensor<1x4x4x6xf32>, tensor<1x2x2x6xf32>
  %code = nn.pool_code %conv, %pool {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 1, 1>} : tensor<1x4x4x6xf32>, tensor<1x2x2x6xf32>
  // CHECK: %[[CELLS:[^ ,:()]+]] = nn.unpool %[[POOL]], %[[CODE]] {{.*}} : tensor<1x2x2x6xf32>, tensor<1x2x2x6xui8>
  %cells = nn.unpool %pool, %code {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      dilations = array<i64: 1, 1>} : tensor<1x2x2x6xf32>, tensor<1x2x2x6xui8>
  // CHECK: nn.unary neg %[[CELLS]] : tensor<1x3x2x3x2x6xf32>
  %negated = nn.unary neg %cells : tensor<1x3x2x3x2x6xf32>
  // CHECK: nn.lrn %[[POOL]] {{.*}} : tensor<1x2x2x6xf32>
  %lrn = nn.lrn %pool {size = 5, alpha = 1.0, beta = 0.75, bias = 1.0} : tensor<1x2x2x6xf32>
  // CHECK: %[[MEAN:[^ ,:()]+]] = nn.reduce mean
  %mean = nn.reduce mean %lrn {axes = array<i64: 1, 2>} : tensor<1x2x2x6xf32>
  // CHECK: %[[ARG:[^ ,:()]+]] = nn.arg_reduce min %[[MEAN]] {axis = 1 : i64} : tensor<1x6xf32>
  %arg = nn.arg_reduce min %mean {axis = 1} : tensor<1x6xf32>
  // CHECK: nn.cast %[[ARG]] : tensor<1xi64> to tensor<1xf32>
  %cast = nn.cast %arg : tensor<1xi64> to tensor<1xf32>
  // CHECK: %[[GATHER:[^ ,:()]+]] = nn.gather
  %gather = nn.gather %m, %i {axis = 1} : tensor<5x2x3xf32>, tensor<2x2xi64>
  // CHECK: nn.normalize %[[GATHER]] {{.*}} : tensor<5x2x2x3xf32>
  %normalize = nn.normalize %gather {axes = array<i64: 3>, epsilon = 1.0e-5} : tensor<5x2x2x3xf32>
  // CHECK: %[[PAD:[^ ,:()]+]] = nn.pad constant
  %pad = nn.pad constant %m [0, 1, -1] [1, 1, 0] 0.0 : f32 : tensor<5x2x3xf32>
  // CHECK: %[[CONCAT:[^ ,:()]+]] = nn.concat %[[PAD]], %[[PAD]] {axis = 0 : i64} : tensor<6x4x2xf32>, tensor<6x4x2xf32>
  %concat = nn.concat %pad, %pad {axis = 0} : tensor<6x4x2xf32>, tensor<6x4x2xf32>
  // CHECK: %[[SLICE:[^ ,:()]+]] = nn.slice %[[CONCAT]] [11, 0, 0] [6, 4, 1] [-2, 1, 1] : tensor<12x4x2xf32>
  %slice = nn.slice %concat [11, 0, 0] [6, 4, 1] [-2, 1, 1] : tensor<12x4x2xf32>
  // CHECK: nn.broadcast %[[SLICE]] : tensor<6x4x1xf32> to tensor<6x4x7xf32>
  %broadcast = nn.broadcast %slice : tensor<6x4x1xf32> to tensor<6x4x7xf32>
  // CHECK: %[[RESAMPLE:[^ ,:()]+]] = nn.resample %{{.*}} {axes = array<i64: 2>, indices = [dense<{{.*}}>], weights = [dense<{{.*}}>]} : tensor<6x4x7xf32>
  %resample = nn.resample %broadcast {axes = array<i64: 2>, indices = [dense<[[0, 1], [5, 6], [6, 6]]> : tensor<3x2xi32>],
      weights = [dense<[[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]> : tensor<3x2xf32>]} : tensor<6x4x7xf32>
  // CHECK: nn.reduce sum %[[RESAMPLE]] {{.*}} : tensor<6x4x3xf32>
  %sum = nn.reduce sum %resample {axes = array<i64: 2>} : tensor<6x4x3xf32>
  return
}

// CHECK-LABEL: func.func @recurrent(
// CHECK:         %[[ALL:[^ ,]+]], %[[LAST:[^ ,]+]], %[[CELL:[^ ,]+]] = nn.recurrent lstm
// CHECK:         return %[[ALL]], %[[LAST]], %[[CELL]] : tensor<7x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
func.func @recurrent(%x: tensor<7x2x5xf32>, %w: tensor<5x12xf32>, %r: tensor<3x12xf32>, %h: tensor<2x3xf32>)
    -> (tensor<7x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0:3 = nn.recurrent lstm %x, %w, %r initial_h(%h : tensor<2x3xf32>)
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<7x2x5xf32>, tensor<5x12xf32>, tensor<3x12xf32>
  return %0#0, %0#1, %0#2 : tensor<7x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Rows of positions may name their images, or are as many as there are.

// CHECK-LABEL: func.func @sample(
// CHECK:         nn.sample linear border %{{.*}}, %{{.*}} images(%{{.*}} : tensor<6xi64>) {align_corners} : tensor<2x8x9x3xf32>, tensor<6x4x5x2xf32>
func.func @sample(%x: tensor<2x8x9x3xf32>, %at: tensor<6x4x5x2xf32>, %which: tensor<6xi64>, %volume: tensor<2x3x4x5x1xi8>,
                  %there: tensor<2x7x3xf16>) -> (tensor<6x4x5x3xf32>, tensor<2x7x1xi8>) {
  %0 = nn.sample linear border %x, %at images(%which : tensor<6xi64>) {align_corners} : tensor<2x8x9x3xf32>, tensor<6x4x5x2xf32>
  %1 = nn.sample nearest zeros %volume, %there : tensor<2x3x4x5x1xi8>, tensor<2x7x3xf16>
  return %0, %1 : tensor<6x4x5x3xf32>, tensor<2x7x1xi8>
}

// Bytes may differ in sign and are added up in 32 bits; where one factor has 16 bits, in 64.

// CHECK-LABEL: func.func @integers(
func.func @integers(%image: tensor<1x8x8x4xui8>, %filter: tensor<3x3x4x6xi8>, %m: tensor<2x3xi16>, %n: tensor<3x4xi8>,
                    %factor: tensor<6xi32>) {
  // CHECK: %[[CONV:[^ ,:()]+]] = nn.conv %{{.*}} pad_value = 200 : i64
  %conv = nn.conv %image, %filter {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      groups = 1, pad_value = 200} : tensor<1x8x8x4xui8>, tensor<3x3x4x6xi8>
  // CHECK: %[[SUM:[^ ,:()]+]] = nn.requantize double %[[CONV]] by %[[F:[^ ]+]] shift %[[F]] : tensor<1x8x8x6xi32>, tensor<6xi32>, tensor<6xi32>
  %sum = nn.requantize double %conv by %factor shift %factor : tensor<1x8x8x6xi32>, tensor<6xi32>, tensor<6xi32>
  // CHECK: nn.cast %[[SUM]] : tensor<1x8x8x6xi32>
  %byte = nn.cast %sum : tensor<1x8x8x6xi32> to tensor<1x8x8x6xi8>
  // CHECK: %[[PRODUCT:[^ ,:()]+]] = nn.matmul %{{.*}} : tensor<2x3xi16>, tensor<3x4xi8>
  %product = nn.matmul %m, %n : tensor<2x3xi16>, tensor<3x4xi8>
  // CHECK: nn.cast %[[PRODUCT]] : tensor<2x4xi64>
  %narrow = nn.cast %product : tensor<2x4xi64> to tensor<2x4xi16>
  return
}

// CHECK-LABEL: func.func @selections(
// CHECK:         return {{.*}} : tensor<2x3xf16>, tensor<2x3xi64>, tensor<6xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x3xi64>, tensor<1x2x1xi64>
func.func @selections(%x: tensor<2x5xf16>, %m: tensor<6xi1>, %r: tensor<4x3xui8>, %b: tensor<1x6x4xf32>,
                      %s: tensor<1x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>)
    -> (tensor<2x3xf16>, tensor<2x3xi64>, tensor<6xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>,
        tensor<1x2x3xi64>, tensor<1x2x1xi64>) {
  %values, %indices = nn.top_k %x {axis = 1 : i64, k = 3 : i64, smallest} : tensor<2x5xf16>
  %true = nn.compact %m : tensor<6xi1>
  %first, %inverse, %counts = nn.unique %r {sorted} : tensor<4x3xui8>
  %selected, %taken = nn.nms %b, %s, %n, %t above(%t : tensor<f32>) {limit = 3 : i64, centered}
      : tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>
  return %values, %indices, %true, %first, %inverse, %counts, %selected, %taken
      : tensor<2x3xf16>, tensor<2x3xi64>, tensor<6xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x3xi64>,
        tensor<1x2x1xi64>
}
