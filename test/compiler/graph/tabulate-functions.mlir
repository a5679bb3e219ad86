// RUN: nacre-opt %s --nacre-tabulate-functions --split-input-file | FileCheck %s

// The example of the pass's documentation: a logistic function between two quantizations. Entries 0, 1 and 255 are those of the numbers
// 0, 1 and 255: the scale of results is 1/256.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<1x64x8xui8>)
// CHECK:         %[[I:[^ ]+]] = nn.cast %[[X]] : tensor<1x64x8xui8> to tensor<1x64x8xi32>
// CHECK:         %[[T:[^ ]+]] = nn.constant dense<"0x{{0[0-9A-F]}}{{.*}}F{{[0-9A-F]}}"> : tensor<256xui8>
// CHECK:         %[[Y:[^ ]+]] = nn.gather %[[T]], %[[I]] {axis = 0 : i64} : tensor<256xui8>, tensor<1x64x8xi32>
// CHECK-NEXT:    return %[[Y]]
func.func @documented_example(%x: tensor<1x64x8xui8>) -> tensor<1x64x8xui8> {
  %zero = nn.constant dense<128.0> : tensor<f32>
  %scale = nn.constant dense<0.025> : tensor<f32>
  %steps = nn.constant dense<256.0> : tensor<f32>
  %most = nn.constant dense<255.0> : tensor<f32>
  %0 = nn.cast %x : tensor<1x64x8xui8> to tensor<1x64x8xf32>
  %1 = nn.binary sub %0, %zero : tensor<1x64x8xf32>, tensor<f32>
  %2 = nn.binary mul %1, %scale : tensor<1x64x8xf32>, tensor<f32>
  %3 = nn.unary sigmoid %2 : tensor<1x64x8xf32>
  %4 = nn.binary mul %3, %steps : tensor<1x64x8xf32>, tensor<f32>
  %5 = nn.unary round %4 : tensor<1x64x8xf32>
  %6 = nn.binary min %5, %most : tensor<1x64x8xf32>, tensor<f32>
  %7 = nn.cast %6 : tensor<1x64x8xf32> to tensor<1x64x8xui8>
  return %7 : tensor<1x64x8xui8>
}

// -----

// The least number has the first entry.

// CHECK-LABEL: func.func @signed(
// CHECK:         %[[L:[^ ]+]] = nn.constant dense<128> : tensor<i32>
// CHECK:         %[[I:[^ ]+]] = nn.binary add %{{[^ ]+}}, %[[L]]
// CHECK:         nn.constant dense<"0x{{.*}}"> : tensor<256xi8>
// CHECK:         nn.gather
func.func @signed(%x: tensor<32x32xi8>) -> tensor<32x32xi8> {
  %scale = nn.constant dense<0.1> : tensor<f32>
  %0 = nn.cast %x : tensor<32x32xi8> to tensor<32x32xf32>
  %1 = nn.binary mul %0, %scale : tensor<32x32xf32>, tensor<f32>
  %2 = nn.unary tanh %1 : tensor<32x32xf32>
  %3 = nn.binary div %2, %scale : tensor<32x32xf32>, tensor<f32>
  %4 = nn.unary round %3 : tensor<32x32xf32>
  %5 = nn.cast %4 : tensor<32x32xf32> to tensor<32x32xi8>
  return %5 : tensor<32x32xi8>
}

// -----

// Arithmetic is as fast; two tensors are no function of one; a few elements are computed faster.

// CHECK-LABEL: func.func @cheap(
// CHECK-NOT:     nn.gather
func.func @cheap(%x: tensor<32x32xui8>) -> tensor<32x32xui8> {
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.cast %x : tensor<32x32xui8> to tensor<32x32xf32>
  %1 = nn.binary mul %0, %half : tensor<32x32xf32>, tensor<f32>
  %2 = nn.unary round %1 : tensor<32x32xf32>
  %3 = nn.cast %2 : tensor<32x32xf32> to tensor<32x32xui8>
  return %3 : tensor<32x32xui8>
}

// CHECK-LABEL: func.func @of_two(
// CHECK-NOT:     nn.gather
func.func @of_two(%x: tensor<32x32xui8>, %y: tensor<32x32xui8>) -> tensor<32x32xui8> {
  %0 = nn.cast %x : tensor<32x32xui8> to tensor<32x32xf32>
  %1 = nn.cast %y : tensor<32x32xui8> to tensor<32x32xf32>
  %2 = nn.unary tanh %0 : tensor<32x32xf32>
  %3 = nn.binary mul %2, %1 : tensor<32x32xf32>, tensor<32x32xf32>
  %4 = nn.cast %3 : tensor<32x32xf32> to tensor<32x32xui8>
  return %4 : tensor<32x32xui8>
}

// CHECK-LABEL: func.func @few(
// CHECK-NOT:     nn.gather
func.func @few(%x: tensor<10xui8>) -> tensor<10xui8> {
  %0 = nn.cast %x : tensor<10xui8> to tensor<10xf32>
  %1 = nn.unary exp %0 : tensor<10xf32>
  %2 = nn.cast %1 : tensor<10xf32> to tensor<10xui8>
  return %2 : tensor<10xui8>
}

// -----

// A division takes longer than the rest of such a chain.

// CHECK-LABEL: func.func @division(
// CHECK:         nn.gather
func.func @division(%x: tensor<32x32xui8>) -> tensor<32x32xui8> {
  %scale = nn.constant dense<0.02> : tensor<f32>
  %result = nn.constant dense<0.04> : tensor<f32>
  %0 = nn.cast %x : tensor<32x32xui8> to tensor<32x32xf32>
  %1 = nn.binary mul %0, %scale : tensor<32x32xf32>, tensor<f32>
  %2 = nn.binary div %1, %result : tensor<32x32xf32>, tensor<f32>
  %3 = nn.unary round %2 : tensor<32x32xf32>
  %4 = nn.cast %3 : tensor<32x32xf32> to tensor<32x32xui8>
  return %4 : tensor<32x32xui8>
}
