// RUN: nacre-opt %s --nacre-narrow-floats | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=fp16 gpu=false" | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=fp16" | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: nacre-opt %s --nacre-narrow-floats="cpu=fp16" --verify-diagnostics -o %t

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

// CPUs add up some products in fp16, whose sums lose digits if weights are small, or if operands have a mean of some times their differences.
// GPUs add up in fp32.

// CHECK-LABEL: func.func @sums_of_the_gpu(
// GPU:           nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// GPU:           nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// GPU:           return
func.func @sums_of_the_gpu(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "gpu"} {
  %small = nn.constant dense<[[1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4], [1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4], [1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4], [1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4]]> : tensor<4x4xf32>
  %mean = nn.constant dense<40.0> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %1 = nn.matmul %0, %small : tensor<2x4xf32>, tensor<4x4xf32>
  %2 = nn.binary add %0, %mean : tensor<2x4xf32>, tensor<f32>
  %3 = nn.matmul %2, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %4 = nn.binary add %1, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @sums_of_the_cpu(
// CPU:           nn.matmul {{.*}} : tensor<2x4xf16>, tensor<4x4xf16>
// CPU:           nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
// CPU:           nn.matmul {{.*}} : tensor<2x4xf32>, tensor<4x4xf32>
// CPU:           return
func.func @sums_of_the_cpu(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {plan.engine = "cpu"} {
  %small = nn.constant dense<[[1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4], [1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4], [1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4], [1.0e-4, -1.0e-4, 2.0e-4, 1.0e-4]]> : tensor<4x4xf32>
  %mean = nn.constant dense<40.0> : tensor<f32>
  %0 = nn.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
  // expected-warning @below {{because sums in fp16 cannot hold products of its weights of about 0.00013}}
  %1 = nn.matmul %0, %small : tensor<2x4xf32>, tensor<4x4xf32>
  %2 = nn.binary add %0, %mean : tensor<2x4xf32>, tensor<f32>
  // expected-warning @below {{because fp16 loses the differences between its operands of about 39}}
  %3 = nn.matmul %2, %w : tensor<2x4xf32>, tensor<4x4xf32>
  %4 = nn.binary add %1, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
