// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-form-kernels --nacre-assign-storages --split-input-file | FileCheck %s --check-prefix=CPU

// In a step of training, a GPU's launches touch only their part of a concatenation, so that they run side by side, and alike ones share a
// kernel. The last part begins where no vector does, and is copied there.

// CHECK-LABEL: plan.entry @train
// CHECK-DAG: %[[ALL:[^ ]+]] = plan.storage {{ *}}temporary : memref<22xf32>
// CHECK-DAG: %[[FIRST:[^ ]+]] = plan.view %[[ALL]] : memref<22xf32> to memref<8xf32>
// CHECK:     plan.launch @[[KERNEL:[a-z_0-9]+]](%{{[^ ]+}}) into(%[[FIRST]])
// CHECK:     %[[SECOND:[^ ]+]] = plan.view %[[ALL]] {offset = 8 : i64} : memref<22xf32> to memref<8xf32>
// CHECK:     plan.launch @[[KERNEL]](%{{[^ ]+}}) into(%[[SECOND]])
// CHECK:     %[[THIRD:[^ ]+]] = plan.view %[[ALL]] {offset = 16 : i64} : memref<22xf32> to memref<3xf32>
// CHECK:     plan.launch @{{[^ ]+}}(%{{[^ ]+}}) into(%[[THIRD]])
// CHECK:     plan.launch @copy_0(%{{[^ ]+}}) into(%[[ALL]])
// CHECK:     plan.launch @{{[^ ]+}}(%[[ALL]]
// CPU-LABEL: plan.entry @train
// CPU-NOT:   plan.view
func.func @train(%a: tensor<4x8xf32> {nn.name = "a"}, %b: tensor<4x8xf32> {nn.name = "b"}, %c: tensor<4x3xf32> {nn.name = "c"},
                 %d: tensor<4x3xf32> {nn.name = "d"}, %w: tensor<f32> {nn.variable = "w"}) -> (tensor<f32> {nn.variable = "w"}) {
  %0 = nn.reduce sum %a {axes = array<i64: 0>} : tensor<4x8xf32>
  %1 = nn.reduce sum %b {axes = array<i64: 0>} : tensor<4x8xf32>
  %2 = nn.reduce sum %c {axes = array<i64: 0>} : tensor<4x3xf32>
  %3 = nn.reduce sum %d {axes = array<i64: 0>} : tensor<4x3xf32>
  %4 = nn.concat %0, %1, %2, %3 {axis = 0 : i64} : tensor<8xf32>, tensor<8xf32>, tensor<3xf32>, tensor<3xf32>
  %5 = nn.reduce sum %4 {axes = array<i64: 0>} : tensor<22xf32>
  %6 = nn.binary sub %w, %5 : tensor<f32>, tensor<f32>
  return %6 : tensor<f32>
}

// -----

// Nothing is gained elsewhere.

// CHECK-LABEL: plan.entry @main
// CHECK-NOT:   plan.view
func.func @main(%a: tensor<4x8xf32> {nn.name = "a"}, %b: tensor<4x8xf32> {nn.name = "b"}) -> (tensor<16xf32> {nn.name = "y"}) {
  %0 = nn.reduce sum %a {axes = array<i64: 0>} : tensor<4x8xf32>
  %1 = nn.reduce sum %b {axes = array<i64: 0>} : tensor<4x8xf32>
  %2 = nn.concat %0, %1 {axis = 0 : i64} : tensor<8xf32>, tensor<8xf32>
  return %2 : tensor<16xf32>
}

// -----

// On a CPU, four alike parts suffice for kernels to be shared: each launch gets a view that begins with its part.

// CHECK-LABEL: plan.entry @four_parts
// CHECK-NOT:   {offset =
// CPU-LABEL: plan.entry @four_parts
// CPU:       %[[ALL:[^ ]+]] = plan.storage temporary : memref<32xf32>
// CPU:       %[[FIRST:[^ ]+]] = plan.view %[[ALL]] : memref<32xf32> to memref<8xf32>
// CPU-NEXT:  plan.launch @{{[^ ]+}}(%{{[^ ]+}}) into(%[[FIRST]])
// CPU:       plan.view %[[ALL]] {offset = 8 : i64} : memref<32xf32> to memref<8xf32>
// CPU:       plan.view %[[ALL]] {offset = 16 : i64} : memref<32xf32> to memref<8xf32>
// CPU:       %[[LAST:[^ ]+]] = plan.view %[[ALL]] {offset = 24 : i64} : memref<32xf32> to memref<8xf32>
// CPU-NEXT:  plan.launch @{{[^ ]+}}(%{{[^ ]+}}) into(%[[LAST]])
func.func @four_parts(%a: tensor<4x8xf32> {nn.name = "a"}, %b: tensor<4x8xf32> {nn.name = "b"}, %c: tensor<4x8xf32> {nn.name = "c"},
                      %d: tensor<4x8xf32> {nn.name = "d"}) -> (tensor<8xf32> {nn.name = "y"}) {
  %0 = nn.reduce sum %a {axes = array<i64: 0>} : tensor<4x8xf32>
  %1 = nn.reduce sum %b {axes = array<i64: 0>} : tensor<4x8xf32>
  %2 = nn.reduce sum %c {axes = array<i64: 0>} : tensor<4x8xf32>
  %3 = nn.reduce sum %d {axes = array<i64: 0>} : tensor<4x8xf32>
  %4 = nn.concat %0, %1, %2, %3 {axis = 0 : i64} : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  %5 = nn.reshape %4 : tensor<32xf32> to tensor<4x8xf32>
  %6 = nn.reduce sum %5 {axes = array<i64: 0>} : tensor<4x8xf32>
  return %6 : tensor<8xf32>
}

// -----

// Three alike parts stay slices of their storage.

// CPU-LABEL: plan.entry @three_parts
// CPU-NOT:   plan.view
func.func @three_parts(%a: tensor<4x8xf32> {nn.name = "a"}, %b: tensor<4x8xf32> {nn.name = "b"},
                       %c: tensor<4x8xf32> {nn.name = "c"}) -> (tensor<24xf32> {nn.name = "y"}) {
  %0 = nn.reduce sum %a {axes = array<i64: 0>} : tensor<4x8xf32>
  %1 = nn.reduce sum %b {axes = array<i64: 0>} : tensor<4x8xf32>
  %2 = nn.reduce sum %c {axes = array<i64: 0>} : tensor<4x8xf32>
  %3 = nn.concat %0, %1, %2 {axis = 0 : i64} : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return %3 : tensor<24xf32>
}
