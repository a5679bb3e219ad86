// RUN: nacre-opt %s --nacre-narrow-floats="cpu=bf16" | FileCheck %s
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=bf16" --verify-diagnostics -o %t

// bf16 has the range of fp32: large and small numbers become bf16, too.

// CHECK-LABEL: func.func @range(
// CHECK:         nn.matmul {{.*}} : tensor<2x4xbf16>, tensor<4x4xbf16>
// CHECK:         nn.matmul {{.*}} : tensor<2x4xbf16>, tensor<4x4xbf16>
func.func @range(%x: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %small = nn.constant dense<1.0e-9> : tensor<4x4xf32>
  %large = nn.constant dense<1.0e+9> : tensor<4x4xf32>
  %0 = nn.matmul %x, %large : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.matmul %0, %small : tensor<2x4xf32>, tensor<4x4xf32>
  return %1 : tensor<2x4xf32>
}

// The lowest f32 value would become infinite, and rows that it masks completely NaN.

// CHECK-LABEL: func.func @masked(
// CHECK:         nn.constant dense<-3.40282347E+38> : tensor<1x4xf32>
// CHECK:         nn.constant dense<-3.38953139E+38> : tensor<f32>
// CHECK:         nn.binary  max
// CHECK:         nn.cast {{.*}} : tensor<1x4xf32> to tensor<1x4xbf16>
// CHECK:         nn.softmax {{.*}} : tensor<2x4xbf16>
func.func @masked(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %mask = nn.constant dense<-3.40282347E+38> : tensor<1x4xf32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary add %0, %mask : tensor<2x4xf32>, tensor<1x4xf32>
  %2 = nn.softmax %1 {axis = 1 : i64} : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// bf16 has an eighth of the digits of fp16, so it loses differences that are small compared with the mean earlier.

// CHECK-LABEL: func.func @differences(
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
func.func @differences(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %mean = nn.constant dense<40.0> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.binary add %0, %mean : tensor<2x4xf32>, tensor<f32>
  // expected-warning @below {{stays fp32 in spite of --cpu-precision=bf16, because bf16 loses the differences between its operands of about 39}}
  %2 = nn.matmul %1, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %2 : tensor<2x4xf32>
}

// The GPU has its own precision.

// CHECK-LABEL: func.func @of_the_gpu(
// CHECK:         nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @of_the_gpu(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "gpu"} {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %0 : tensor<2x4xf32>
}
