// RUN: nacre-opt %s --nacre-narrow-floats | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=true gpu=false" | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=true" | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=true" --verify-diagnostics -o %t

// Each engine has its own precision: functions for the CPU only are narrow if the option says so, all others if the other option says so.

// CHECK-LABEL: func.func @shared(
// GPU:           nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// CPU:           nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
// BOTH:          nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @shared(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @of_the_gpu(
// GPU:           nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// CPU:           nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
// BOTH:          nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @of_the_gpu(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "gpu"} {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @of_the_cpu(
// GPU:           nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
// CPU:           nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// BOTH:          nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
func.func @of_the_cpu(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  return %0 : tensor<2x4xf32>
}

// A warning names the option of the function's engine.

func.func @warned(%x: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %small = nn.constant dense<1.0e-9> : tensor<4x4xf32>
  // expected-warning @below {{stays fp32 in spite of --cpu-precision=fp16, because fp16 cannot hold its weights of about 1e-9}}
  %0 = nn.matmul %x, %small : tensor<2x4xf32>, tensor<4x4xf32>
  return %0 : tensor<2x4xf32>
}
