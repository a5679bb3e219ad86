// RUN: nacre-opt %s --nacre-choose-signs="unsigned-left=true" --nacre-fold-constants --nacre-simplify-graph --canonicalize \
// RUN:   --split-input-file | FileCheck %s --check-prefixes=CHECK,UNSIGNED
// RUN: nacre-opt %s --nacre-choose-signs="unsigned-left=false" --nacre-fold-constants --nacre-simplify-graph --canonicalize \
// RUN:   --split-input-file | FileCheck %s --check-prefixes=CHECK,SIGNED

// The example of the pass's documentation: a TFLite layer between two others. For x86 its bytes become unsigned where they are rounded: the
// zero point -5 and both bounds move by 128, and so does what pads the convolution. The columns of 1 and 2 sum to 4 and 8, and 128 times
// that is subtracted from the sums; one constant, with the bias. For arm64 nothing changes.

// CHECK-LABEL: func.func @documented_example(
// UNSIGNED-DAG:    %[[Z:[^ ,:()]+]] = nn.constant dense<123> : tensor<i32>
// UNSIGNED-DAG:    %[[HIGH:[^ ,:()]+]] = nn.constant dense<255> : tensor<i32>
// UNSIGNED-DAG:    %[[C:[^ ,:()]+]] = nn.constant dense<[-502, -1004]> : tensor<2xi32>
// UNSIGNED:        nn.binary add %{{.*}}, %[[Z]]
// UNSIGNED-NEXT:   nn.unary relu
// UNSIGNED-NEXT:   %[[M:[^ ,:()]+]] = nn.binary min %{{.*}}, %[[HIGH]]
// UNSIGNED-NEXT:   %[[Q:[^ ,:()]+]] = nn.cast %[[M]] : tensor<1x4x4x1xi32> to tensor<1x4x4x1xui8>
// UNSIGNED-NEXT:   %[[P:[^ ,:()]+]] = nn.conv %[[Q]], %{{.*}} {{.*}}pad_value = 123 : i64{{.*}} : tensor<1x4x4x1xui8>, tensor<2x2x1x2xi8>
// UNSIGNED-NEXT:   nn.binary add %[[P]], %[[C]]
// SIGNED:          %[[Q:[^ ,:()]+]] = nn.cast %{{.*}} : tensor<1x4x4x1xi32> to tensor<1x4x4x1xi8>
// SIGNED-NEXT:     nn.conv %[[Q]], %{{.*}} {{.*}}pad_value = -5 : i64{{.*}} : tensor<1x4x4x1xi8>, tensor<2x2x1x2xi8>
func.func @documented_example(%sums: tensor<1x4x4x1xi32>) -> tensor<1x4x4x2xi32> {
  %w = nn.constant dense<[[[[1, 2]], [[1, 2]]], [[[1, 2]], [[1, 2]]]]> : tensor<2x2x1x2xi8>
  %zero = nn.constant dense<-5> : tensor<i32>
  %low = nn.constant dense<-128> : tensor<i32>
  %high = nn.constant dense<127> : tensor<i32>
  %bias = nn.constant dense<[10, 20]> : tensor<2xi32>
  %0 = nn.binary add %sums, %zero : tensor<1x4x4x1xi32>, tensor<i32>
  %1 = nn.binary max %0, %low : tensor<1x4x4x1xi32>, tensor<i32>
  %2 = nn.binary min %1, %high : tensor<1x4x4x1xi32>, tensor<i32>
  %3 = nn.cast %2 : tensor<1x4x4x1xi32> to tensor<1x4x4x1xi8>
  %4 = nn.conv %3, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1, pad_value = -5} : tensor<1x4x4x1xi8>, tensor<2x2x1x2xi8>
  %5 = nn.binary add %4, %bias : tensor<1x4x4x2xi32>, tensor<2xi32>
  return %5 : tensor<1x4x4x2xi32>
}

// -----

// What rounds reals moves its bounds, too; what only moves bytes, and the largest of a window, passes the sign on, and padding moves along.
// Others read the same bytes: a conversion subtracts another zero point, 3 - 128 = -125.

// CHECK-LABEL: func.func @moved(
// SIGNED-DAG:     %[[LOW:[^ ,:()]+]] = nn.constant dense<-1.280000e+02> : tensor<f32>
// SIGNED-DAG:     %[[HIGH:[^ ,:()]+]] = nn.constant dense<1.270000e+02> : tensor<f32>
// SIGNED-DAG:     %[[Z:[^ ,:()]+]] = nn.constant dense<-1.250000e+02> : tensor<f32>
// SIGNED:         %[[R:[^ ,:()]+]] = nn.unary round
// SIGNED-NEXT:    %[[A:[^ ,:()]+]] = nn.binary add %[[R]], %[[Z]]
// SIGNED-NEXT:    %[[L:[^ ,:()]+]] = nn.binary max %[[A]], %[[LOW]]
// SIGNED-NEXT:    %[[H:[^ ,:()]+]] = nn.binary min %[[L]], %[[HIGH]]
// SIGNED-NEXT:    %[[Q:[^ ,:()]+]] = nn.cast %[[H]] : tensor<1x4x4x2xf32> to tensor<1x4x4x2xi8>
// SIGNED-NEXT:    %[[PAD:[^ ,:()]+]] = nn.pad constant %[[Q]] [0, 0, 0, 0] [0, 2, 2, 0] -125 : i8
// SIGNED-NEXT:    %[[POOL:[^ ,:()]+]] = nn.pool max %[[PAD]] {{.*}} : tensor<1x6x6x2xi8>
// SIGNED-NEXT:    %[[FLAT:[^ ,:()]+]] = nn.reshape %[[POOL]] : tensor<1x3x3x2xi8> to tensor<1x18xi8>
// SIGNED-NEXT:    nn.matmul %[[FLAT]], %{{.*}} : tensor<1x18xi8>, tensor<18x2xi8>
// SIGNED:         %[[WIDE:[^ ,:()]+]] = nn.cast %[[Q]] : tensor<1x4x4x2xi8> to tensor<1x4x4x2xf32>
// SIGNED-NEXT:    nn.binary sub %[[WIDE]], %[[Z]]
// SIGNED-NOT:     nn.binary xor
// UNSIGNED:       nn.pool max %{{.*}} : tensor<1x6x6x2xui8>
func.func @moved(%x: tensor<1x4x4x2xf32>, %w: tensor<18x2xi8>) -> (tensor<1x2xi32>, tensor<1x4x4x2xf32>) {
  %w0 = nn.constant dense<1> : tensor<18x2xi8>
  %zero = nn.constant dense<3.0> : tensor<f32>
  %high = nn.constant dense<255.0> : tensor<f32>
  %0 = nn.unary round %x : tensor<1x4x4x2xf32>
  %1 = nn.binary add %0, %zero : tensor<1x4x4x2xf32>, tensor<f32>
  %2 = nn.unary relu %1 : tensor<1x4x4x2xf32>
  %3 = nn.binary min %2, %high : tensor<1x4x4x2xf32>, tensor<f32>
  %4 = nn.cast %3 : tensor<1x4x4x2xf32> to tensor<1x4x4x2xui8>
  %5 = nn.pad constant %4 [0, 0, 0, 0] [0, 2, 2, 0] 3 : ui8 : tensor<1x4x4x2xui8>
  %6 = nn.pool max %5 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x6x6x2xui8>
  %7 = nn.reshape %6 : tensor<1x3x3x2xui8> to tensor<1x18xui8>
  %8 = nn.matmul %7, %w0 : tensor<1x18xui8>, tensor<18x2xi8>
  %9 = nn.cast %4 : tensor<1x4x4x2xui8> to tensor<1x4x4x2xf32>
  %10 = nn.binary sub %9, %zero : tensor<1x4x4x2xf32>, tensor<f32>
  return %8, %10 : tensor<1x2xi32>, tensor<1x4x4x2xf32>
}

// -----

// The bytes of the model's input are flipped once, whoever multiplies them; its output keeps its sign. 128 times the columns' sum is
// subtracted.

// CHECK-LABEL: func.func @input(
// CHECK-SAME:    %[[X:[^ :]+]]: tensor<4x2xi8>)
// UNSIGNED:      %[[XOR:[^ ,:()]+]] = nn.binary xor %[[X]], %{{.*}} : tensor<4x2xi8>, tensor<i8>
// UNSIGNED-NEXT: %[[FLIP:[^ ,:()]+]] = nn.bitcast %[[XOR]] : tensor<4x2xi8> to tensor<4x2xui8>
// UNSIGNED-NOT:  nn.binary xor
// UNSIGNED:      nn.matmul %[[FLIP]], %{{.*}} : tensor<4x2xui8>, tensor<2x2xi8>
// UNSIGNED-NEXT: nn.binary add
// UNSIGNED:      nn.matmul %[[FLIP]], %{{.*}} : tensor<4x2xui8>, tensor<2x2xi8>
// UNSIGNED-NEXT: nn.binary add
// SIGNED-NOT:    nn.binary xor
// CHECK:         return {{.*}}, %[[X]]
func.func @input(%x: tensor<4x2xi8>) -> (tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi8>) {
  %a = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %b = nn.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi8>
  %0 = nn.matmul %x, %a : tensor<4x2xi8>, tensor<2x2xi8>
  %1 = nn.matmul %x, %b : tensor<4x2xi8>, tensor<2x2xi8>
  return %0, %1, %x : tensor<4x2xi32>, tensor<4x2xi32>, tensor<4x2xi8>
}

// -----

// A fraction that the conversion drops would be dropped in the other direction below 0: such bytes are flipped afterwards.

// CHECK-LABEL: func.func @truncated(
// SIGNED:        nn.cast %{{.*}} : tensor<4x2xf32> to tensor<4x2xui8>
// SIGNED-NEXT:   nn.binary xor
func.func @truncated(%x: tensor<4x2xf32>) -> tensor<4x2xi32> {
  %a = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %0 = nn.cast %x : tensor<4x2xf32> to tensor<4x2xui8>
  %1 = nn.matmul %0, %a : tensor<4x2xui8>, tensor<2x2xi8>
  return %1 : tensor<4x2xi32>
}

// -----

// A flip that recognition asked for joins what rounds.

// CHECK-LABEL: func.func @asked_for(
// CHECK-NOT:     nn.binary xor
// CHECK:         nn.cast %{{.*}} : tensor<2x4xf32> to tensor<2x4xi8>
// CHECK-NOT:     nn.binary xor
// CHECK:         nn.matmul
func.func @asked_for(%x: tensor<2x4xf32>, %left: tensor<3x2xi32>) -> tensor<3x4xi32> {
  %high = nn.constant dense<255.0> : tensor<f32>
  %bit = nn.constant dense<128> : tensor<ui8>
  %0 = nn.unary round %x : tensor<2x4xf32>
  %1 = nn.unary relu %0 : tensor<2x4xf32>
  %2 = nn.binary min %1, %high : tensor<2x4xf32>, tensor<f32>
  %3 = nn.cast %2 : tensor<2x4xf32> to tensor<2x4xui8>
  %4 = nn.binary xor %3, %bit : tensor<2x4xui8>, tensor<ui8>
  %5 = nn.bitcast %4 : tensor<2x4xui8> to tensor<2x4xi8>
  %6 = nn.cast %left : tensor<3x2xi32> to tensor<3x2xi8>
  %7 = nn.matmul %6, %5 : tensor<3x2xi8>, tensor<2x4xi8>
  return %7 : tensor<3x4xi32>
}
