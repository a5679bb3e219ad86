// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --nacre-assign-storages --nacre-verify-kernels --mlir-print-local-scope | FileCheck %s

// A softmax of integers: the exponential of a distance is an entry of a table. The table is read once an element, what is computed of the
// sum is computed once a row, and bytes are read and written.

// CHECK-LABEL: plan.kernel @reduce_0 row
// CHECK-SAME:    (%{{.*}}: tensor<4x10xi8>, %[[TABLE:[^ :]+]]: tensor<8xi32>) into (%[[Y:[^ :]+]]: tensor<4x10xi8>) cut 0 : 4 by 1
// CHECK:         arith.maxsi
// CHECK:         } -> tensor<4xi32>
// CHECK:         tensor.extract %[[TABLE]]
// CHECK:         } -> tensor<4x10xi32>
// CHECK-NOT:     tensor.extract
// CHECK:         arith.addi
// CHECK:         } -> tensor<4xi32>
// CHECK:         arith.divsi
// CHECK:         } -> tensor<4x1xi32>
// CHECK:         ins(%{{.*}} : tensor<4x10xi32>, tensor<4x1xi32>) outs(%[[Y]] : tensor<4x10xi8>)
// CHECK-NOT:     arith.divsi
// CHECK-NOT:   plan.kernel
func.func @softmax(%x: tensor<4x10xi8> {nn.name = "x"}) -> (tensor<4x10xi8> {nn.name = "y"}) {
  %table = nn.constant dense<[0, 1, 2, 4, 9, 22, 49, 110]> : tensor<8xi32>
  %most = nn.constant dense<65536> : tensor<i32>
  %offset = nn.constant dense<7> : tensor<i32>
  %0 = nn.cast %x : tensor<4x10xi8> to tensor<4x10xi32>
  %1 = nn.reduce max %0 {axes = array<i64: 1>, keep_dims} : tensor<4x10xi32>
  %2 = nn.binary sub %0, %1 : tensor<4x10xi32>, tensor<4x1xi32>
  %3 = nn.binary add %2, %offset : tensor<4x10xi32>, tensor<i32>
  %4 = nn.gather %table, %3 {axis = 0 : i64} : tensor<8xi32>, tensor<4x10xi32>
  %5 = nn.reduce sum %4 {axes = array<i64: 1>, keep_dims} : tensor<4x10xi32>
  %6 = nn.binary div %most, %5 : tensor<i32>, tensor<4x1xi32>
  %7 = nn.binary mul %4, %6 : tensor<4x10xi32>, tensor<4x1xi32>
  %8 = nn.cast %7 : tensor<4x10xi32> to tensor<4x10xi8>
  return %8 : tensor<4x10xi8>
}

// -----

// A norm that a model spells out.

// CHECK-LABEL: plan.kernel @reduce_0 row
// CHECK-SAME:    (%{{.*}}: tensor<2x3x8xf32>) into (%{{.*}}: tensor<2x3x8xf32>)
// CHECK:         math.sqrt
// CHECK-NOT:   plan.kernel
func.func @norm(%x: tensor<2x3x8xf32> {nn.name = "x"}) -> (tensor<2x3x8xf32> {nn.name = "y"}) {
  %0 = nn.binary mul %x, %x : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  %1 = nn.reduce sum %0 {axes = array<i64: 2>, keep_dims} : tensor<2x3x8xf32>
  %2 = nn.unary sqrt %1 : tensor<2x3x1xf32>
  %3 = nn.binary div %x, %2 : tensor<2x3x8xf32>, tensor<2x3x1xf32>
  return %3 : tensor<2x3x8xf32>
}

// -----

// Along another axis integers are rows, too; floats are not.

// CHECK-LABEL: plan.kernel @reduce_0 row
// CHECK-SAME:    (%{{.*}}: tensor<2x8x3xi32>) into (%{{.*}}: tensor<2x8x3xi32>) cut 0 : 2 by 1
// CHECK-NOT:   plan.kernel
func.func @across(%x: tensor<2x8x3xi32> {nn.name = "x"}) -> (tensor<2x8x3xi32> {nn.name = "y"}) {
  %0 = nn.reduce max %x {axes = array<i64: 1>, keep_dims} : tensor<2x8x3xi32>
  %1 = nn.binary sub %x, %0 : tensor<2x8x3xi32>, tensor<2x1x3xi32>
  return %1 : tensor<2x8x3xi32>
}

// -----

// CHECK-LABEL: plan.kernel @reduce_0 nest
// CHECK-LABEL: plan.kernel @sub_0 nest
func.func @floats_across(%x: tensor<2x8x3xf32> {nn.name = "x"}) -> (tensor<2x8x3xf32> {nn.name = "y"}) {
  %0 = nn.reduce max %x {axes = array<i64: 1>, keep_dims} : tensor<2x8x3xf32>
  %1 = nn.binary sub %x, %0 : tensor<2x8x3xf32>, tensor<2x1x3xf32>
  return %1 : tensor<2x8x3xf32>
}

// -----

// Long rows are reduced by several threads.

// CHECK-LABEL: plan.kernel @reduce_0 nest
// CHECK-LABEL: plan.kernel @sub_0 nest
func.func @long(%x: tensor<2x4097xf32> {nn.name = "x"}) -> (tensor<2x4097xf32> {nn.name = "y"}) {
  %0 = nn.reduce max %x {axes = array<i64: 1>, keep_dims} : tensor<2x4097xf32>
  %1 = nn.binary sub %x, %0 : tensor<2x4097xf32>, tensor<2x1xf32>
  return %1 : tensor<2x4097xf32>
}

// -----

// A function of bytes is a map that reads its table; a product leaves it to another kernel.

// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK-SAME:    into (%{{.*}}: tensor<4x8xi8>)
// CHECK-LABEL: plan.kernel @cast_0 nest
// CHECK-SAME:    (%[[TABLE:[^ :]+]]: tensor<4xi8>, %{{.*}}: tensor<4x8xi8>)
// CHECK:         arith.extsi
// CHECK:         tensor.extract %[[TABLE]]
func.func @table(%x: tensor<4x16xi8> {nn.name = "x"}) -> (tensor<4x8xi8> {nn.name = "y"}) {
  %w = nn.constant dense<1> : tensor<16x8xi8>
  %table = nn.constant dense<[1, 2, 3, 5]> : tensor<4xi8>
  %0 = nn.matmul %x, %w : tensor<4x16xi8>, tensor<16x8xi8>
  %1 = nn.cast %0 : tensor<4x8xi32> to tensor<4x8xi8>
  %2 = nn.cast %1 : tensor<4x8xi8> to tensor<4x8xi32>
  %3 = nn.gather %table, %2 {axis = 0 : i64} : tensor<4xi8>, tensor<4x8xi32>
  return %3 : tensor<4x8xi8>
}

// -----

// Between a dequantization and a quantization, rows and windows read and write bytes. The cells around the tensor hold the zero point.

// CHECK-LABEL: plan.kernel @pool_0 nest
// CHECK-SAME:    (%{{.*}}: tensor<1x9x9x8xi8>) into (%{{.*}}: tensor<1x4x4x8xi8>)
// CHECK-NOT:     arith.uitofp
// CHECK-LABEL: plan.kernel @lrn_0 nest
// CHECK-SAME:    (%[[CODES:[^ :]+]]: tensor<1x4x4x8xi8>) into (%{{.*}}: tensor<1x4x4x8xi8>)
// CHECK:         arith.constant -125 : i8
// CHECK:         tensor.pad %[[CODES]] low[0, 0, 0, 2] high[0, 0, 0, 2]
// CHECK:         arith.uitofp
// CHECK:         arith.uitofp
// CHECK:         plan.round
// CHECK-LABEL: plan.kernel @softmax_0 row
// CHECK-SAME:    (%{{.*}}: tensor<1x4x4x8xi8>) into (%{{.*}}: tensor<1x4x4x8xi8>)
// CHECK:         arith.uitofp
// CHECK:         math.exp
// CHECK:         plan.round
// CHECK-NOT:   plan.kernel
func.func @dequantized(%x: tensor<1x9x9x8xui8> {nn.name = "x"}) -> (tensor<1x4x4x8xui8> {nn.name = "y"}) {
  %zero = nn.constant dense<131.0> : tensor<f32>
  %scale = nn.constant dense<0.02> : tensor<f32>
  %step = nn.constant dense<0.04> : tensor<f32>
  %most = nn.constant dense<255.0> : tensor<f32>
  %0 = nn.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x9x9x8xui8>
  %1 = nn.cast %0 : tensor<1x4x4x8xui8> to tensor<1x4x4x8xf32>
  %2 = nn.binary sub %1, %zero : tensor<1x4x4x8xf32>, tensor<f32>
  %3 = nn.binary mul %2, %scale : tensor<1x4x4x8xf32>, tensor<f32>
  %4 = nn.lrn %3 {size = 5, alpha = 1.0e-4, beta = 0.75, bias = 1.0} : tensor<1x4x4x8xf32>
  %5 = nn.binary div %4, %step : tensor<1x4x4x8xf32>, tensor<f32>
  %6 = nn.unary round %5 : tensor<1x4x4x8xf32>
  %7 = nn.binary min %6, %most : tensor<1x4x4x8xf32>, tensor<f32>
  %8 = nn.cast %7 : tensor<1x4x4x8xf32> to tensor<1x4x4x8xui8>
  %9 = nn.cast %8 : tensor<1x4x4x8xui8> to tensor<1x4x4x8xf32>
  %10 = nn.binary mul %9, %step : tensor<1x4x4x8xf32>, tensor<f32>
  %11 = nn.softmax %10 {axis = 3 : i64} : tensor<1x4x4x8xf32>
  %12 = nn.binary div %11, %step : tensor<1x4x4x8xf32>, tensor<f32>
  %13 = nn.unary round %12 : tensor<1x4x4x8xf32>
  %14 = nn.cast %13 : tensor<1x4x4x8xf32> to tensor<1x4x4x8xui8>
  return %14 : tensor<1x4x4x8xui8>
}

// -----

// What others read as well is not computed in a window.

// CHECK-LABEL: plan.kernel @cast_0 nest
// CHECK-SAME:    into (%{{.*}}: tensor<1x9x9x8xf32>)
// CHECK-LABEL: plan.kernel @pool_0 nest
// CHECK-SAME:    tensor<1x9x9x8xf32>
func.func @read_twice(%x: tensor<1x9x9x8xi8> {nn.name = "x"})
    -> (tensor<1x3x3x8xf32> {nn.name = "y"}, tensor<1x9x9x8xf32> {nn.name = "z"}) {
  %scale = nn.constant dense<0.02> : tensor<f32>
  %0 = nn.cast %x : tensor<1x9x9x8xi8> to tensor<1x9x9x8xf32>
  %1 = nn.binary mul %0, %scale : tensor<1x9x9x8xf32>, tensor<f32>
  %2 = nn.pool average %1 {kernel = array<i64: 3, 3>, strides = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x9x9x8xf32>
  return %2, %1 : tensor<1x3x3x8xf32>, tensor<1x9x9x8xf32>
}
