// RUN: nacre-opt %s --pass-pipeline='builtin.module(func.func(nacre-pack-ports))' | FileCheck %s

// The example of the pass's documentation: five elements of 4 bits are three bytes for an app, and the last half of the
// last one is nobody's.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<3xui8> {nn.type = tensor<5xi4>}
// CHECK-NEXT:    %[[BITS:[^ ]+]] = nn.bitcast %[[X]] : tensor<3xui8> to tensor<3x2xi4>
// CHECK-NEXT:    %[[FLAT:[^ ]+]] = nn.reshape %[[BITS]] : tensor<3x2xi4> to tensor<6xi4>
// CHECK-NEXT:    %[[FIVE:[^ ]+]] = nn.slice %[[FLAT]] [0] [5] [1] : tensor<6xi4>
// CHECK-NEXT:    nn.reshape %[[FIVE]]
// CHECK-NEXT:    nn.cast
// CHECK-NEXT:    return %{{[^ ]+}} : tensor<5xf32>
func.func @documented_example(%x: tensor<5xi4>) -> tensor<5xf32> {
  %y = nn.cast %x : tensor<5xi4> to tensor<5xf32>
  return %y : tensor<5xf32>
}

// Results are filled up to whole bytes. What is a byte already stays.

// CHECK-LABEL: func.func @results(
// CHECK-SAME:    -> (tensor<2xui8> {nn.type = tensor<1x7xui2>}, tensor<1x7xf8E5M2>)
// CHECK:         %[[FLAT:[^ ]+]] = nn.reshape %{{[^ ]+}} : tensor<1x7xui2> to tensor<7xui2>
// CHECK-NEXT:    %[[FULL:[^ ]+]] = nn.pad constant %[[FLAT]] [0] [1] 0 : ui2 : tensor<7xui2>
// CHECK-NEXT:    %[[ROWS:[^ ]+]] = nn.reshape %[[FULL]] : tensor<8xui2> to tensor<2x4xui2>
// CHECK-NEXT:    nn.bitcast %[[ROWS]] : tensor<2x4xui2> to tensor<2xui8>
func.func @results(%x: tensor<1x7xf32>) -> (tensor<1x7xui2>, tensor<1x7xf8E5M2>) {
  %y = nn.cast %x : tensor<1x7xf32> to tensor<1x7xui2>
  %z = nn.cast %x : tensor<1x7xf32> to tensor<1x7xf8E5M2>
  return %y, %z : tensor<1x7xui2>, tensor<1x7xf8E5M2>
}
