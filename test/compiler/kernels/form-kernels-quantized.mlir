// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s

// A cast to 8 bits does only what its operand may need: a sum of integers times a scale is a number, and it is clamped already.

// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK:         math.roundeven
// CHECK:         arith.maximumf
// CHECK:         %[[X:[^ ]+]] = arith.minimumf
// CHECK-NEXT:    %[[I:[^ ]+]] = arith.fptosi %[[X]] : f32 to i32
// CHECK-NEXT:    %[[B:[^ ]+]] = arith.trunci %[[I]] : i32 to i8
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
