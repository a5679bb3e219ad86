// RUN: nacre-opt %s --nacre-part-products --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels --nacre-verify-kernels \
// RUN:     --split-input-file --mlir-print-local-scope | FileCheck %s

// An operator's engine decides the form of its kernel, one by one: of two equal separable convolutions, the GPU's is one kernel.

// CHECK-LABEL: plan.entry @one_by_one
// CHECK:         plan.launch @separable_0{{.*}}plan.engine = "gpu"
// CHECK:         plan.launch @conv{{.*}}plan.engine = "cpu"
// CHECK:         plan.launch @conv{{.*}}plan.engine = "cpu"
// CHECK-NOT:     plan.launch
func.func @one_by_one(%x: tensor<1x6x6x4xf32> {nn.name = "x"}) -> (tensor<1x6x6x4xf32> {nn.name = "y"}) {
  %f = nn.constant dense<0.5> : tensor<1x1x1x4xf32>
  %w = nn.constant dense<0.25> : tensor<1x1x4x4xf32>
  %0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4, plan.engine = "gpu"} : tensor<1x6x6x4xf32>, tensor<1x1x1x4xf32>
  %1 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1, plan.engine = "gpu"} : tensor<1x6x6x4xf32>, tensor<1x1x4x4xf32>
  %2 = nn.conv %1, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 4, plan.engine = "cpu"} : tensor<1x6x6x4xf32>, tensor<1x1x1x4xf32>
  %3 = nn.conv %2, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1, plan.engine = "cpu"} : tensor<1x6x6x4xf32>, tensor<1x1x4x4xf32>
  return %3 : tensor<1x6x6x4xf32>
}

// -----

// Operators of different engines share no kernel; those that any engine may compute share one.

// CHECK-LABEL: plan.entry @apart
// CHECK-COUNT-2: plan.launch
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.entry @together
// CHECK-COUNT-1: plan.launch
// CHECK-NOT:     plan.launch
func.func @apart(%x: tensor<4x8xf32> {nn.name = "x"}) -> (tensor<4x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.25> : tensor<8x8xf32>
  %0 = nn.matmul %x, %w {plan.engine = "gpu"} : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = nn.unary relu %0 {plan.engine = "cpu"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
func.func @together(%x: tensor<4x8xf32> {nn.name = "x"}) -> (tensor<4x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<8x8xf32>
  %0 = nn.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = nn.unary relu %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// The CPU's product is read in halves by one kernel; another engine's is one, and its halves are read by a second one.

// CHECK-LABEL: plan.entry @halves_on_cpu
// CHECK-COUNT-1: plan.launch @matmul{{.*}}plan.engine = "cpu"
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.entry @halves_on_any
// CHECK-COUNT-2: plan.launch
// CHECK-NOT:     plan.launch
func.func @halves_on_cpu(%x: tensor<2x8xf32> {nn.name = "x"}) -> (tensor<2x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.25> : tensor<8x16xf32>
  %0 = nn.matmul %x, %w {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<8x16xf32>
  %a = nn.slice %0 [0, 0] [2, 8] [1, 1] : tensor<2x16xf32>
  %b = nn.slice %0 [0, 8] [2, 8] [1, 1] : tensor<2x16xf32>
  %1 = nn.binary mul %a, %b {plan.engine = "cpu"} : tensor<2x8xf32>, tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
func.func @halves_on_any(%x: tensor<2x8xf32> {nn.name = "x"}) -> (tensor<2x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<8x16xf32>
  %0 = nn.matmul %x, %w : tensor<2x8xf32>, tensor<8x16xf32>
  %a = nn.slice %0 [0, 0] [2, 8] [1, 1] : tensor<2x16xf32>
  %b = nn.slice %0 [0, 8] [2, 8] [1, 1] : tensor<2x16xf32>
  %1 = nn.binary mul %a, %b : tensor<2x8xf32>, tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
