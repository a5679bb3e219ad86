// RUN: nacre-opt %s --split-input-file --nacre-assign-engine=engine=gpu --nacre-form-kernels --mlir-print-local-scope | FileCheck %s
// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s --check-prefix=APART

// What scales a concatenation is done by the convolution that reads it; pixels are walked by loops over the image alone.

// APART-COUNT-2: plan.launch
// CHECK-LABEL: plan.entry @scaled
// CHECK-COUNT-1: plan.launch
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.kernel @conv_0 contraction
// CHECK:         %[[E:[^ ,:()]+]] = tensor.empty() : tensor<1x6x5x8xf32>
// CHECK:         %[[LEFT:[^ ,:()]+]] = linalg.generic {{.*}} outs(%[[E]]
// CHECK:           arith.mulf
// CHECK:           arith.maximumf
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-SAME:      ins(%[[LEFT]],
func.func @scaled(%x: tensor<1x6x5x4xf32> {nn.name = "x"}, %u: tensor<1x6x5x4xf32> {nn.name = "u"}) -> (tensor<1x6x5x12xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<1x1x8x12xf32>
  %s = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = nn.concat %x, %u {axis = 3 : i64} : tensor<1x6x5x4xf32>, tensor<1x6x5x4xf32>
  %1 = nn.binary mul %0, %s : tensor<1x6x5x8xf32>, tensor<8xf32>
  %2 = nn.unary relu %1 : tensor<1x6x5x8xf32>
  %3 = nn.conv %2, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x6x5x8xf32>, tensor<1x1x8x12xf32>
  return %3 : tensor<1x6x5x12xf32>
}

// -----

// A product normalizes the rows that it reads, and writes them as well, since a residual is added to them.

// APART-COUNT-3: plan.launch
// CHECK-LABEL: plan.entry @normalized
// CHECK:         %[[FIRST:[^ ,:()]+]]:2 = plan.launch @matmul_0
// CHECK:         nn.reshape %[[FIRST]]#1
// CHECK:         plan.launch @matmul_1
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.kernel @matmul_0 contraction
// CHECK-SAME:    into (%[[Y:[^ :]+]]: tensor<6x12xf32>, %[[ROWS:[^ :]+]]: tensor<6x8xf32>) cut 0 : 6 by 1
// CHECK:         %[[SUM:[^ ,:()]+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:         %[[SQUARES:[^ ,:()]+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:         %[[LEFT:[^ ,:()]+]] = linalg.generic {{.*}} ins({{.*}}%[[SUM]], %[[SQUARES]] {{.*}} outs(%[[ROWS]]
// CHECK:         linalg.generic {{.*}} "reduction"]} ins(%[[LEFT]],
// CHECK:         plan.yield {{.*}}, %[[LEFT]]
func.func @normalized(%x: tensor<2x3x8xf32> {nn.name = "x"}) -> (tensor<2x3x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<8x12xf32>
  %v = nn.constant dense<0.25> : tensor<12x8xf32>
  %0 = nn.normalize %x {axes = array<i64: 2>, epsilon = 1.0e-5 : f64} : tensor<2x3x8xf32>
  %1 = nn.matmul %0, %w : tensor<2x3x8xf32>, tensor<8x12xf32>
  %2 = nn.matmul %1, %v : tensor<2x3x12xf32>, tensor<12x8xf32>
  %3 = nn.binary add %2, %0 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  return %3 : tensor<2x3x8xf32>
}

// -----

// A reshape that keeps the last axis comes before the normalization, and a view behind the product that writes its operand.

// CHECK-LABEL: plan.entry @views
// CHECK:         %[[FIRST:[^ ,:()]+]]:2 = plan.launch @matmul_0
// CHECK:         %[[ROWS:[^ ,:()]+]] = nn.reshape %[[FIRST]]#1
// CHECK:         nn.slice %[[ROWS]]
// CHECK:         plan.launch @matmul_1
// CHECK-NOT:     plan.launch
func.func @views(%x: tensor<1x6x8xf32> {nn.name = "x"}) -> (tensor<1x8xf32> {nn.name = "y"}, tensor<6x12xf32> {nn.name = "z"}) {
  %w = nn.constant dense<0.5> : tensor<8x12xf32>
  %v = nn.constant dense<0.25> : tensor<8x8xf32>
  %0 = nn.normalize %x {axes = array<i64: 2>, epsilon = 1.0e-5 : f64} : tensor<1x6x8xf32>
  %first = nn.slice %0 [0, 0, 0] [1, 1, 8] [1, 1, 1] : tensor<1x6x8xf32>
  %1 = nn.matmul %0, %w : tensor<1x6x8xf32>, tensor<8x12xf32>
  %2 = nn.reshape %1 : tensor<1x6x12xf32> to tensor<6x12xf32>
  %3 = nn.normalize %first {axes = array<i64: 2>, epsilon = 1.0e-5 : f64} : tensor<1x1x8xf32>
  %4 = nn.reshape %3 : tensor<1x1x8xf32> to tensor<1x8xf32>
  %5 = nn.matmul %4, %v : tensor<1x8xf32>, tensor<8x8xf32>
  return %5, %2 : tensor<1x8xf32>, tensor<6x12xf32>
}
