// RUN: nacre-opt %s --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels | FileCheck %s

// A product of f32 whose kernel reads f16 must multiply f32. Its kernel widens f16 like that of a product of f16, so a note on the launch says
// so, whatever the nodes are called. On a CPU, no kernel widens the operands of such a product: it reads f32.

// CHECK-LABEL: plan.entry @gpu
// CHECK:         plan.launch @[[NARROW:[^(]+]]({{.*}} : (memref<4x8xf16>, memref<8x8xf16>)
// CHECK:         plan.launch @[[WIDE:[^(]+]]({{.*}} {plan.wide_product} : (memref<4x8xf16>, memref<8x8xf32>)
// CHECK:         plan.launch @[[FLOATS:[^(]+]]({{.*}}) into(%{{[^ ]+}}) : (memref<4x8xf32>, memref<8x8xf32>)
func.func @gpu(%a: tensor<4x8xf16> {nn.name = "a"}, %b: tensor<8x8xf16> {nn.name = "b"}, %c: tensor<8x8xf32> {nn.name = "c"}, %d: tensor<4x8xf32> {nn.name = "d"})
    -> (tensor<4x8xf16> {nn.name = "x"}, tensor<4x8xf16> {nn.name = "y"}, tensor<4x8xf32> {nn.name = "z"}) attributes {plan.engine = "gpu"} {
  %0 = nn.matmul %a, %b : tensor<4x8xf16>, tensor<8x8xf16> loc("product")
  %1 = nn.cast %a : tensor<4x8xf16> to tensor<4x8xf32> loc("product")
  %2 = nn.matmul %1, %c : tensor<4x8xf32>, tensor<8x8xf32> loc("product")
  %3 = nn.cast %2 : tensor<4x8xf32> to tensor<4x8xf16> loc("product")
  %4 = nn.matmul %d, %c : tensor<4x8xf32>, tensor<8x8xf32> loc("product")
  return %0, %3, %4 : tensor<4x8xf16>, tensor<4x8xf16>, tensor<4x8xf32>
}

// CHECK-LABEL: plan.entry @cpu
// CHECK:         plan.launch @{{[^(]+}}({{.*}} : (memref<4x8xf16>) into
// CHECK:         plan.launch @{{[^(]+}}({{.*}}) into(%{{[^ ]+}}) : (memref<4x8xf32>, memref<8x8xf32>)
// CHECK-NOT:     plan.wide_product
func.func @cpu(%a: tensor<4x8xf16> {nn.name = "a"}, %c: tensor<8x8xf32> {nn.name = "c"}) -> (tensor<4x8xf16> {nn.name = "y"}) attributes {plan.engine = "cpu"} {
  %1 = nn.cast %a : tensor<4x8xf16> to tensor<4x8xf32>
  %2 = nn.matmul %1, %c : tensor<4x8xf32>, tensor<8x8xf32>
  %3 = nn.cast %2 : tensor<4x8xf32> to tensor<4x8xf16>
  return %3 : tensor<4x8xf16>
}
