// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s

// The example of the pass's documentation: an elementwise operator runs where the product is still in registers.

// CHECK:       plan.weight @weight_0 = dense<5.000000e-01> : tensor<8x16xf32>
// CHECK-LABEL: plan.entry @documented_example
// CHECK:         %[[W:[^ ,:()]+]] = plan.use @weight_0
// CHECK:         %[[X:[^ ,:()]+]] = plan.storage input "x" 0 : tensor<4x8xf32>
// CHECK:         %[[Y:[^ ,:()]+]] = plan.launch @matmul_0(%[[X]], %[[W]])
// CHECK:         plan.output %[[Y]], "y" 0
// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK-SAME:    (%[[X:[^ :]+]]: tensor<4x8xf32>, %[[W:[^ :]+]]: tensor<8x16xf32>) into (%[[Y:[^ :]+]]: tensor<4x16xf32>) cut 0 : 4 by 1
// CHECK:         %[[E:[^ ,:()]+]] = tensor.empty() : tensor<4x16xf32>
// CHECK:         %[[Z:[^ ,:()]+]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK:         %[[ACC:[^ ,:()]+]] = linalg.generic {{.*}} "reduction"]} ins(%[[X]], %[[W]] {{.*}} outs(%[[Z]]
// CHECK:         %[[R:[^ ,:()]+]] = linalg.generic {{.*}} ins(%[[ACC]] {{.*}} outs(%[[Y]]
// CHECK:           arith.maximumf
// CHECK:         plan.yield %[[R]]
func.func @documented_example(%x: tensor<4x8xf32> {nn.name = "x"}) -> (tensor<4x16xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<8x16xf32>
  %0 = nn.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %1 = nn.unary relu %0 : tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// Of two convolutions the later one takes the sum, and reads the other as a residual; the bias is indexed by channels.

// CHECK-LABEL: plan.kernel @conv_0 contraction
// CHECK-NOT:     arith.maximumf
// CHECK-LABEL: plan.kernel @conv_1 contraction
// CHECK-SAME:    cut 1 : 6 by 1
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK:           arith.addf
// CHECK:           arith.addf
// CHECK:           arith.maximumf
func.func @residual(%x: tensor<1x8x8x4xf32> {nn.name = "x"}) -> (tensor<1x6x6x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x3x4x8xf32>
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                       groups = 1 : i64} : tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>
  %1 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                       groups = 1 : i64} : tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>
  %2 = nn.binary add %1, %b : tensor<1x6x6x8xf32>, tensor<8xf32>
  %3 = nn.binary add %2, %0 : tensor<1x6x6x8xf32>, tensor<1x6x6x8xf32>
  %4 = nn.unary relu %3 : tensor<1x6x6x8xf32>
  return %4 : tensor<1x6x6x8xf32>
}

// -----

// One input and one output channel per group: the channel is a parallel loop that walks all three operands.

// CHECK-LABEL: plan.kernel @conv_0 contraction
// CHECK-SAME:    tensor<3x3x8xf32>
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
func.func @depthwise(%x: tensor<1x9x9x8xf32> {nn.name = "x"}) -> (tensor<1x4x4x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x3x1x8xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                       groups = 8 : i64} : tensor<1x9x9x8xf32>, tensor<3x3x1x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// -----

// Groups are a parallel loop; an unread operand says how long it and the loop over a group's outputs are.

// CHECK-LABEL: plan.kernel @conv_0 contraction
// CHECK:         tensor.empty() : tensor<2x8xf32>
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 * 4 + d5)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d2 * 8 + d3)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 8 + d3)>
func.func @grouped(%x: tensor<1x6x8xf32> {nn.name = "x"}) -> (tensor<1x4x16xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x4x16xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
       : tensor<1x6x8xf32>, tensor<3x4x16xf32>
  return %0 : tensor<1x4x16xf32>
}

// -----

// Attention: the transposes of queries and keys are read through, that of the result is written through. Nothing moves.

// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK-SAME:    (%{{.*}}: tensor<1x6x2x8xf32>, %{{.*}}: tensor<1x6x2x8xf32>) into (%{{.*}}: tensor<1x2x6x6xf32>)
// CHECK:           affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: plan.kernel @softmax_0 row
// CHECK-LABEL: plan.kernel @matmul_1 contraction
// CHECK-SAME:    into (%{{.*}}: tensor<1x6x2x8xf32>)
// CHECK:           affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3)>
// CHECK-NOT:   plan.kernel
func.func @attention(%q: tensor<1x6x2x8xf32> {nn.name = "q"}, %k: tensor<1x6x2x8xf32> {nn.name = "k"},
                     %v: tensor<1x2x6x8xf32> {nn.name = "v"}) -> (tensor<1x6x2x8xf32> {nn.name = "y"}) {
  %0 = nn.transpose %q [0, 2, 1, 3] : tensor<1x6x2x8xf32>
  %1 = nn.transpose %k [0, 2, 3, 1] : tensor<1x6x2x8xf32>
  %2 = nn.matmul %0, %1 : tensor<1x2x6x8xf32>, tensor<1x2x8x6xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : tensor<1x2x6x6xf32>
  %4 = nn.matmul %3, %v : tensor<1x2x6x6xf32>, tensor<1x2x6x8xf32>
  %5 = nn.transpose %4 [0, 2, 1, 3] : tensor<1x2x6x8xf32>
  return %5 : tensor<1x6x2x8xf32>
}

// -----

// The rows of all batches are the rows of one matrix: the kernel sees rank 2, the entry reshapes.

// CHECK-LABEL: plan.entry @rows_of_all_batches
// CHECK:         nn.reshape %{{.*}} : tensor<3x4x8xf32> to tensor<12x8xf32>
// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK-SAME:    tensor<12x8xf32>
// CHECK-SAME:    into (%{{.*}}: tensor<12x16xf32>) cut 0 : 12 by 1
func.func @rows_of_all_batches(%x: tensor<3x4x8xf32> {nn.name = "x"}) -> (tensor<3x4x16xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<8x16xf32>
  %0 = nn.matmul %x, %w : tensor<3x4x8xf32>, tensor<8x16xf32>
  return %0 : tensor<3x4x16xf32>
}

// -----

// Softmax sweeps its rows: the largest, the exponentials, their sum, the quotients. What comes before is a prologue. Rows
// can be cut, columns cannot.

// CHECK-LABEL: plan.kernel @softmax_0 row
// CHECK-SAME:    cut 0 : 4 by 1
// CHECK:         arith.mulf
// CHECK:         arith.maximumf
// CHECK:         math.exp
// CHECK:         arith.addf
// CHECK:         arith.divf
// CHECK-NOT:   plan.kernel
func.func @softmax(%x: tensor<4x10xf32> {nn.name = "x"}) -> (tensor<4x10xf32> {nn.name = "y"}) {
  %c = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.binary mul %x, %c : tensor<4x10xf32>, tensor<f32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<4x10xf32>
  return %1 : tensor<4x10xf32>
}

// -----

// What training keeps of a maximum is which cell it was, in a byte. On the way back a cell adds up what the windows over it
// have for it; a table says by which code, and where in its step the cell is.

// CHECK-DAG:   plan.weight @weight_0 = dense<[0, 1, 2]> : tensor<3xi8>
// CHECK-DAG:   plan.weight @weight_1 = dense<{{\[\[}}2, 0], [-2, 1]]> : tensor<2x2xi8>
// CHECK-LABEL: plan.kernel @pool_code_0 nest
// CHECK:         tensor.pad %{{.*}} low[0, 1, 0] high[0, 1, 0]
// CHECK:         affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + d3, d2)>
// CHECK:         arith.minui
// CHECK-LABEL: plan.kernel @unpool_0 nest
// CHECK-SAME:    into (%{{.*}}: tensor<2x6x2x8xf32>)
// CHECK:         tensor.pad %{{.*}} low[0, 1, 0] high[0, 1, 0]
// CHECK:         affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d3)>
// CHECK:         arith.addf
func.func @unpool(%x: tensor<2x9x8xf32> {nn.name = "x"}, %y: tensor<2x5x8xf32> {nn.name = "y"}) -> (tensor<2x6x2x8xf32> {nn.name = "z"}) {
  %0 = nn.pool_code %x, %y {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>,
                            dilations = array<i64: 1>, overhang = array<i64: 0>} : tensor<2x9x8xf32>, tensor<2x5x8xf32>
  %1 = nn.unpool %y, %0 {kernel = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>} : tensor<2x5x8xf32>, tensor<2x5x8xui8>
  return %1 : tensor<2x6x2x8xf32>
}

// -----

// Half precision accumulates in single, and the epilogue rounds once.

// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK:         tensor.empty() : tensor<4x16xf32>
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:         linalg.generic
// CHECK:           arith.truncf
func.func @half(%x: tensor<4x8xf16> {nn.name = "x"}, %w: tensor<8x16xf16> {nn.name = "w"})
    -> (tensor<4x16xf16> {nn.name = "y"}) {
  %0 = nn.matmul %x, %w : tensor<4x8xf16>, tensor<8x16xf16>
  return %0 : tensor<4x16xf16>
}

// -----

// Booleans are bytes in memory and bits in bodies; unsigned integers are signless, and the operations say so.

// CHECK-LABEL: plan.entry @types
// CHECK:         plan.storage input "a" 0 {external_type = ui8} : tensor<4xi8>
// CHECK:         plan.output %{{.*}}, "y" 0 {external_type = i1} : tensor<4xi8>
// CHECK-LABEL: plan.kernel @{{.*}} nest
// CHECK-SAME:    tensor<4xi8>
// CHECK:         arith.cmpi ult
// CHECK:         arith.extui %{{.*}} : i1 to i8
func.func @types(%a: tensor<4xui8> {nn.name = "a"}, %b: tensor<4xui8> {nn.name = "b"}) -> (tensor<4xi1> {nn.name = "y"}) {
  %0 = nn.binary less %a, %b : tensor<4xui8>, tensor<4xui8>
  return %0 : tensor<4xi1>
}

// -----

// Indices are clamped, so that none can read elsewhere; resampling reads tables made when the model is compiled.

// CHECK:       plan.weight @weight_0 = dense<[0, 0, 1, 1]> : tensor<4xi32>
// CHECK-LABEL: plan.kernel @gather_0 indexed
// CHECK:         arith.minsi
// CHECK:         tensor.extract
// CHECK-LABEL: plan.kernel @resample_0 indexed
// CHECK:         tensor.extract
// CHECK-NOT:     tensor.extract
// CHECK-NOT:     arith.mulf
func.func @indexed(%x: tensor<5x8xf32> {nn.name = "x"}, %i: tensor<2xi64> {nn.name = "i"})
    -> (tensor<4x8xf32> {nn.name = "y"}) {
  %0 = nn.gather %x, %i {axis = 0 : i64} : tensor<5x8xf32>, tensor<2xi64>
  %1 = nn.resample %0 {axes = array<i64: 0>, indices = [dense<[[0], [0], [1], [1]]> : tensor<4x1xi32>],
                       weights = [dense<1.0> : tensor<4x1xf32>]} : tensor<2x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Equal constants are one weight, splats that elementwise operators read are none; views stay for the next pass.

// CHECK:       plan.weight @weight_0 = dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NOT:   plan.weight
// CHECK-LABEL: plan.entry @weights
// CHECK:         nn.concat
func.func @weights(%x: tensor<3x2xf32> {nn.name = "x"}) -> (tensor<3x4xf32> {nn.name = "y"}) {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = nn.constant dense<3.0> : tensor<1xf32>
  %0 = nn.binary add %x, %a : tensor<3x2xf32>, tensor<2xf32>
  %1 = nn.binary mul %x, %b : tensor<3x2xf32>, tensor<2xf32>
  %2 = nn.binary mul %1, %c : tensor<3x2xf32>, tensor<1xf32>
  %3 = nn.concat %0, %2 {axis = 1 : i64} : tensor<3x2xf32>, tensor<3x2xf32>
  return %3 : tensor<3x4xf32>
}

// -----

// Averages divide by a row's columns, of which there are some where there are no rows.

// CHECK-LABEL: plan.kernel @normalize_0 row
// CHECK:         arith.constant 2.500000e-01 : f32
func.func @no_rows(%x: tensor<0x4xf32> {nn.name = "x"}) -> (tensor<0x4xf32> {nn.name = "y"}) {
  %0 = nn.normalize %x {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// -----

// What machines disagree on is settled here: shifts by the width, numbers that an integer has no room for, NaN.

// CHECK-LABEL: plan.kernel @shift_left_0 nest
// CHECK-DAG:     %[[MOST:[^ ,:()]+]] = arith.constant 7 : i8
// CHECK-DAG:     %[[SHIFTED:[^ ,:()]+]] = arith.shli %[[A:[^ ,:()]+]], %[[B:[^ ,:()]+]] : i8
// CHECK-DAG:     %[[FITS:[^ ,:()]+]] = arith.cmpi ule, %[[B]], %[[MOST]]
// CHECK:         arith.select %[[FITS]], %[[SHIFTED]], %{{[^ ]+}} : i8
// CHECK-LABEL: plan.kernel @shift_right_0 nest
// CHECK:         %[[LESS:[^ ,:()]+]] = arith.minui %{{[^ ]+}}, %{{[^ ]+}} : i8
// CHECK:         arith.shrsi %{{[^ ]+}}, %[[LESS]] : i8
// CHECK-LABEL: plan.kernel @cast_0 nest
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf olt
// CHECK:         arith.fptosi %{{[^ ]+}} : f32 to i32
// CHECK:         arith.cmpf uno
func.func @edges(%a: tensor<4xi8> {nn.name = "a"}, %b: tensor<4xi8> {nn.name = "b"}, %x: tensor<4xf32> {nn.name = "x"})
    -> (tensor<4xi8> {nn.name = "l"}, tensor<4xi8> {nn.name = "r"}, tensor<4xi8> {nn.name = "c"}) {
  %0 = nn.binary shift_left %a, %b : tensor<4xi8>, tensor<4xi8>
  %1 = nn.binary shift_right %a, %b : tensor<4xi8>, tensor<4xi8>
  %2 = nn.cast %x : tensor<4xf32> to tensor<4xi8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// Results without a name are counts of those that have one, and are numbered by themselves.

// CHECK-LABEL: plan.entry @counts
// CHECK:         plan.output %{{[^ ]+}}, "y" 0 {counts = array<i64: 0, -1>} : tensor<4x2xf32>
// CHECK:         plan.output %{{[^ ]+}}, "z" 1 : tensor<4x2xf32>
// CHECK:         plan.output %[[N:[^ ,]+]], "find" 0 {is_count} : tensor<i64>
func.func @counts(%x: tensor<4x2xf32> {nn.name = "x"}, %m: tensor<4xi64> {nn.name = "m"})
    -> (tensor<4x2xf32> {nn.counts = array<i64: 2, -1>, nn.name = "y"}, tensor<4x2xf32> {nn.name = "z"}, tensor<i64>) {
  %y = nn.unary relu %x : tensor<4x2xf32>
  %n = nn.reduce sum %m {axes = array<i64: 0>} : tensor<4xi64> loc("find")
  return %y, %x, %n : tensor<4x2xf32>, tensor<4x2xf32>, tensor<i64>
}

// -----

// A constant of one number is part of the body: where it alone lies along a loop, a tensor that nobody reads is as long.

// CHECK-LABEL: plan.entry @counted
// CHECK:       plan.kernel @reduce_0 nest
// CHECK-SAME:    (%{{.*}}: tensor<f32>) into (%{{.*}}: tensor<f32>)
// CHECK:         %[[LENGTH:[^ ,:()]+]] = tensor.empty() : tensor<5xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[LENGTH]] : tensor<f32>, tensor<5xf32>)
func.func @counted(%x: tensor<f32> {nn.name = "x"}) -> (tensor<f32> {nn.name = "y"}) {
  %ones = nn.constant dense<1.0> : tensor<5xf32>
  %0 = nn.binary mul %x, %ones : tensor<f32>, tensor<5xf32>
  %1 = nn.reduce sum %0 {axes = array<i64: 0>} : tensor<5xf32>
  return %1 : tensor<f32>
}

// -----

// Bytes stay bytes in memory: each is widened by its own sign where it is multiplied, and what follows is the epilogue.

// CHECK:       plan.weight @weight_0 = dense<-3> : tensor<8x16xi8>
// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK-SAME:    (%{{.*}}: tensor<4x8xi8>, %{{.*}}: tensor<8x16xi8>) into (%{{.*}}: tensor<4x16xi8>)
// CHECK:         linalg.fill ins(%{{.*}} : i32)
// CHECK:         ^bb0(%[[X:[^ ]+]]: i8, %[[W:[^ ]+]]: i8, %[[SUM:[^ ]+]]: i32):
// CHECK-NEXT:      %[[A:[^ ]+]] = arith.extui %[[X]] : i8 to i32
// CHECK-NEXT:      %[[B:[^ ]+]] = arith.extsi %[[W]] : i8 to i32
// CHECK-NEXT:      %[[P:[^ ]+]] = arith.muli %[[A]], %[[B]]
// CHECK-NEXT:      arith.addi %[[SUM]], %[[P]]
// CHECK:         linalg.generic
// CHECK:           arith.sitofp
// CHECK-NOT:   plan.kernel
func.func @bytes(%x: tensor<4x8xui8> {nn.name = "x"}) -> (tensor<4x16xi8> {nn.name = "y"}) {
  %w = nn.constant dense<-3> : tensor<8x16xi8>
  %scale = nn.constant dense<0.25> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<4x8xui8>, tensor<8x16xi8>
  %1 = nn.cast %0 : tensor<4x16xi32> to tensor<4x16xf32>
  %2 = nn.binary mul %1, %scale : tensor<4x16xf32>, tensor<f32>
  %3 = nn.unary round %2 : tensor<4x16xf32>
  %4 = nn.cast %3 : tensor<4x16xf32> to tensor<4x16xi8>
  return %4 : tensor<4x16xi8>
}

// -----

// The product with a fixed-point number is one operation. It does not overflow with this constant.

// CHECK-LABEL: plan.kernel @{{.*}} nest
// CHECK:         plan.multiply_high %{{[^ ]+}}, %{{[^ ]+}}{{$}}
func.func @fixed_point(%x: tensor<4x8xi32> {nn.name = "x"}) -> (tensor<4x8xi32> {nn.name = "y"}) {
  %m = nn.constant dense<1288490240> : tensor<i32>
  %s = nn.constant dense<[0, -1, -2, -3, -4, -5, -6, -7]> : tensor<8xi32>
  %0 = nn.requantize double %x by %m shift %s : tensor<4x8xi32>, tensor<i32>, tensor<8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// Bounds of attention are arithmetic with the indices of a row and a key; a number for each row of a sink joins the largest
// score and the sum. The offset is read from memory, because a run decides it. The sweep that hides keys notes the bounds.

// CHECK-LABEL: plan.entry @bounded
// CHECK:         plan.launch @attention_0
// CHECK-LABEL: plan.kernel @attention_0 attention
// CHECK:           attrs = {plan.key_bounds = {after = 0 : i64, before = 3 : i64, offset = 0 : i64, offset_input = 1 : i64}}
// CHECK:           math.tanh
// CHECK:           linalg.index 3
// CHECK:           linalg.index 2
// CHECK:           arith.cmpi sle
// CHECK:           arith.cmpi sge
// CHECK:           arith.select
// CHECK:           arith.maximumf
// CHECK:           arith.maximumf
// CHECK:           math.exp
// CHECK:           math.exp
// CHECK:           arith.cmpf oeq
// CHECK-NOT:   plan.kernel
func.func @bounded(%q: tensor<1x2x6x8xf32> {nn.name = "q"}, %k: tensor<1x1x8x6xf32> {nn.name = "k"}, %v: tensor<1x1x6x8xf32> {nn.name = "v"},
                   %sink: tensor<2x1x1xf32> {nn.name = "sink"}, %past: tensor<i32> {nn.name = "past"}) -> (tensor<1x2x6x8xf32> {nn.name = "y"}) {
  %0 = nn.attention %q, %k, %v sink %sink offset %past {before = 3 : i64, behind = 0 : i64, hides_rows, scale = 1.0 : f64, softcap = 2.0 : f64}
    : tensor<1x2x6x8xf32>, tensor<1x1x8x6xf32>, tensor<1x1x6x8xf32>, tensor<2x1x1xf32>, tensor<i32>
  return %0 : tensor<1x2x6x8xf32>
}
