// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s

// Rounding, the zero point and both bounds become one operation. A sum of integers times a scale is never NaN.

// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK:         %[[X:[^ ]+]] = arith.mulf
// CHECK-NEXT:    %[[ZERO:[^ ]+]] = arith.constant -5 : i16
// CHECK-NEXT:    %[[B:[^ ]+]] = plan.round %[[X]] plus %[[ZERO]] in -128 to 127 : i8
// CHECK-NEXT:    linalg.yield %[[B]]
func.func @requantized(%x: tensor<4x8xi8> {nn.name = "x"}) -> (tensor<4x2xi8> {nn.name = "y"}) {
  %w = nn.constant dense<-3> : tensor<8x2xi8>
  %scale = nn.constant dense<[0.25, 3.0e-3]> : tensor<2xf32>
  %zero = nn.constant dense<-5.0> : tensor<f32>
  %low = nn.constant dense<-128.0> : tensor<f32>
  %high = nn.constant dense<127.0> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<4x8xi8>, tensor<8x2xi8>
  %1 = nn.cast %0 : tensor<4x2xi32> to tensor<4x2xf32>
  %2 = nn.binary mul %1, %scale : tensor<4x2xf32>, tensor<2xf32>
  %3 = nn.unary round %2 : tensor<4x2xf32>
  %4 = nn.binary add %3, %zero : tensor<4x2xf32>, tensor<f32>
  %5 = nn.binary max %4, %low : tensor<4x2xf32>, tensor<f32>
  %6 = nn.binary min %5, %high : tensor<4x2xf32>, tensor<f32>
  %7 = nn.cast %6 : tensor<4x2xf32> to tensor<4x2xi8>
  return %7 : tensor<4x2xi8>
}

// -----

// Without bounds it is clamped, but it is a number.

// CHECK-LABEL: plan.kernel @{{.*}} nest
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf olt
// CHECK:         arith.fptosi
// CHECK-NOT:     arith.cmpf uno
func.func @without_bounds(%x: tensor<4xi32> {nn.name = "x"}) -> (tensor<4xi8> {nn.name = "y"}) {
  %scale = nn.constant dense<0.25> : tensor<f32>
  %0 = nn.cast %x : tensor<4xi32> to tensor<4xf32>
  %1 = nn.binary div %0, %scale : tensor<4xf32>, tensor<f32>
  %2 = nn.cast %1 : tensor<4xf32> to tensor<4xi8>
  return %2 : tensor<4xi8>
}

// -----

// Zero times infinity is NaN, which no bound changes.

// CHECK-LABEL: plan.kernel @{{.*}} nest
// CHECK:         arith.minimumf
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf uno
func.func @infinite_scale(%x: tensor<4xi32> {nn.name = "x"}) -> (tensor<4xi8> {nn.name = "y"}) {
  %scale = nn.constant dense<0x7F800000> : tensor<f32>
  %low = nn.constant dense<-128.0> : tensor<f32>
  %high = nn.constant dense<127.0> : tensor<f32>
  %0 = nn.cast %x : tensor<4xi32> to tensor<4xf32>
  %1 = nn.binary mul %0, %scale : tensor<4xf32>, tensor<f32>
  %2 = nn.binary max %1, %low : tensor<4xf32>, tensor<f32>
  %3 = nn.binary min %2, %high : tensor<4xf32>, tensor<f32>
  %4 = nn.cast %3 : tensor<4xf32> to tensor<4xi8>
  return %4 : tensor<4xi8>
}

// -----

// Two products that overflow to infinities may be NaN together; so may any quotient by what may be 0.

// CHECK-LABEL: plan.kernel @{{.*}} nest
// CHECK-COUNT-2: arith.cmpf uno
func.func @overflowing(%x: tensor<4xi32> {nn.name = "x"})
    -> (tensor<4xi8> {nn.name = "y"}, tensor<4xi8> {nn.name = "z"}) {
  %scale = nn.constant dense<1.0e30> : tensor<f32>
  %low = nn.constant dense<-128.0> : tensor<f32>
  %0 = nn.cast %x : tensor<4xi32> to tensor<4xf32>
  %1 = nn.binary mul %0, %scale : tensor<4xf32>, tensor<f32>
  %2 = nn.binary sub %1, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = nn.binary max %2, %low : tensor<4xf32>, tensor<f32>
  %4 = nn.cast %3 : tensor<4xf32> to tensor<4xi8>
  %5 = nn.binary div %0, %0 : tensor<4xf32>, tensor<4xf32>
  %6 = nn.cast %5 : tensor<4xf32> to tensor<4xi8>
  return %4, %6 : tensor<4xi8>, tensor<4xi8>
}

// -----

// A CPU takes a subnormal divisor for zero, so 0 / 1.0e-38 is NaN there.

// CHECK-LABEL: plan.entry @subnormal_divisor
// CHECK:         arith.divf
// CHECK:         arith.cmpf uno
func.func @subnormal_divisor(%x: tensor<4xi8> {nn.name = "x"}) -> (tensor<4xi8> {nn.name = "y"}) {
  %factor = nn.constant dense<1.0e-3> : tensor<f32>
  %subnormal = nn.constant dense<1.0e-38> : tensor<f32>
  %0 = nn.cast %x : tensor<4xi8> to tensor<4xf32>
  %1 = nn.binary mul %0, %factor : tensor<4xf32>, tensor<f32>
  %2 = nn.binary div %1, %subnormal : tensor<4xf32>, tensor<f32>
  %3 = nn.cast %2 : tensor<4xf32> to tensor<4xi8>
  return %3 : tensor<4xi8>
}

// -----

// A rectifier is a bound, too, and additions move the bounds before them. The operand may be NaN, which a cast makes 0.

// CHECK-LABEL: plan.entry @bounds_are_merged
// CHECK:         %[[Q:[^ ]+]] = arith.divf
// CHECK-NEXT:    %[[ZERO:[^ ]+]] = arith.constant 7 : i16
// CHECK-NEXT:    %[[B:[^ ]+]] = plan.round %[[Q]] plus %[[ZERO]] in 10 to 200 nan 0 : i8
// CHECK-NEXT:    linalg.yield %[[B]]
func.func @bounds_are_merged(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xui8> {nn.name = "y"}) {
  %scale = nn.constant dense<0.25> : tensor<f32>
  %ten = nn.constant dense<10.0> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %most = nn.constant dense<200.0> : tensor<f32>
  %0 = nn.binary div %x, %scale : tensor<4xf32>, tensor<f32>
  %1 = nn.unary round %0 : tensor<4xf32>
  %2 = nn.binary sub %1, %three : tensor<4xf32>, tensor<f32>
  %3 = nn.unary relu %2 : tensor<4xf32>
  %4 = nn.binary add %3, %ten : tensor<4xf32>, tensor<f32>
  %5 = nn.binary min %4, %most : tensor<4xf32>, tensor<f32>
  %6 = nn.cast %5 : tensor<4xf32> to tensor<4xui8>
  return %6 : tensor<4xui8>
}

// -----

// A fraction is no zero point: the sum is computed in floats.

// CHECK-LABEL: plan.entry @fraction
// CHECK:         math.roundeven
// CHECK:         arith.addf
// CHECK:         arith.fptosi
// CHECK-NOT:     plan.round
func.func @fraction(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xui8> {nn.name = "y"}) {
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.unary round %x : tensor<4xf32>
  %1 = nn.binary add %0, %half : tensor<4xf32>, tensor<f32>
  %2 = nn.cast %1 : tensor<4xf32> to tensor<4xui8>
  return %2 : tensor<4xui8>
}

// -----

// Integers are clamped and narrowed. Their sums wrap, so an addition is no part of it.

// CHECK-LABEL: plan.entry @integers
// CHECK:         %[[S:[^ ]+]] = arith.addi
// CHECK-NEXT:    plan.clamp %[[S]] in -128 to 100
func.func @integers(%x: tensor<4xi32> {nn.name = "x"}) -> (tensor<4xi8> {nn.name = "y"}) {
  %zero = nn.constant dense<-3> : tensor<i32>
  %low = nn.constant dense<-128> : tensor<i32>
  %high = nn.constant dense<100> : tensor<i32>
  %0 = nn.binary add %x, %zero : tensor<4xi32>, tensor<i32>
  %1 = nn.binary max %0, %low : tensor<4xi32>, tensor<i32>
  %2 = nn.binary min %1, %high : tensor<4xi32>, tensor<i32>
  %3 = nn.cast %2 : tensor<4xi32> to tensor<4xi8>
  return %3 : tensor<4xi8>
}

// -----

// Bytes are indices of a table of all bytes; 128 is added to signed ones.

// CHECK-LABEL: plan.entry @table
// CHECK:         plan.lookup signed %{{[^ ]+}} in %{{[^ ]+}} : tensor<256xi8>
// CHECK-NOT:     tensor.extract
func.func @table(%x: tensor<4xi8> {nn.name = "x"}) -> (tensor<4xi8> {nn.name = "y"}) {
  %table = nn.constant dense<5> : tensor<256xi8>
  %least = nn.constant dense<128> : tensor<i32>
  %0 = nn.cast %x : tensor<4xi8> to tensor<4xi32>
  %1 = nn.binary add %0, %least : tensor<4xi32>, tensor<i32>
  %2 = nn.gather %table, %1 {axis = 0} : tensor<256xi8>, tensor<4xi32>
  return %2 : tensor<4xi8>
}
