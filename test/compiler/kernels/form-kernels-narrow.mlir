// RUN: nacre-opt %s --split-input-file --nacre-form-kernels --mlir-print-local-scope | FileCheck %s

// Codes of narrow types are bytes, which a cast takes apart as integers. Parts of an element are shifted down by a table's
// entries, or up and joined.

// CHECK-LABEL: plan.entry @narrow
// CHECK:         plan.storage input "x" 0 {external_type = f8E5M2} : tensor<4xi8>
// CHECK-LABEL: plan.kernel @cast_0 nest
// CHECK-SAME:    tensor<4xi8>
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         arith.bitcast %{{.*}} : i32 to f32
// CHECK-LABEL: plan.kernel @bitcast_0 nest
// CHECK-SAME:    tensor<4xi32>, %{{[^ ]+}}: tensor<4xf32>) into (%{{[^ ]+}}: tensor<4x4xi8>)
// CHECK:         arith.shrui
// CHECK:         arith.trunci %{{.*}} : i32 to i8
// CHECK-LABEL: plan.kernel @bitcast_1 nest
// CHECK-SAME:    into (%{{[^ ]+}}: tensor<4xi16>)
// CHECK:         arith.shli
// CHECK:         arith.ori
func.func @narrow(%x: tensor<4xf8E5M2> {nn.name = "x"}, %z: tensor<4x2xi8> {nn.name = "z"})
    -> (tensor<4x4xui8> {nn.name = "y"}, tensor<4xi16> {nn.name = "w"}, tensor<4xf32> {nn.name = "v"}) {
  %0 = nn.cast %x : tensor<4xf8E5M2> to tensor<4xf32>
  %1 = nn.bitcast %0 : tensor<4xf32> to tensor<4x4xui8>
  %2 = nn.bitcast %z : tensor<4x2xi8> to tensor<4xi16>
  return %1, %2, %0 : tensor<4x4xui8>, tensor<4xi16>, tensor<4xf32>
}
