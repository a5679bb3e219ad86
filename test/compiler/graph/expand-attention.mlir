// RUN: nacre-opt %s --nacre-assign-engine --nacre-expand-attention=most-keys=7 --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-expand-attention=most-keys-on-gpu=7 --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-expand-attention=all --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-assign-engine --nacre-expand-attention --split-input-file | FileCheck %s --check-prefix=KEPT

// The example of the pass's documentation: causal, after past keys, with a mask, a softcap and a sink.

// CHECK-LABEL: func.func @documented_example(
// CHECK-SAME:    %[[Q:[^ :]+]]: tensor<2x4x3xf32>, %[[K:[^ :]+]]: tensor<2x3x8xf32>, %[[V:[^ :]+]]: tensor<2x8x5xf32>, %[[M:[^ :]+]]: tensor<8xf32>, %[[S:[^ :]+]]: tensor<2x1x1xf32>, %[[P:[^ :]+]]: tensor<i32>)
// CHECK:         %[[PRODUCT:[^ ]+]] = nn.matmul %[[Q]], %[[K]]
// CHECK:         %[[SCALED:[^ ]+]] = nn.binary mul %[[PRODUCT]]
// CHECK:         %[[DIVIDED:[^ ]+]] = nn.binary div %[[SCALED]]
// CHECK:         %[[TANH:[^ ]+]] = nn.unary tanh %[[DIVIDED]]
// CHECK:         %[[CAPPED:[^ ]+]] = nn.binary mul %[[TANH]]
// CHECK:         %[[POSITION:[^ ]+]] = nn.binary add %{{.*}}, %[[P]] : tensor<4x1xi32>, tensor<i32>
// CHECK:         %[[SEEN:[^ ]+]] = nn.binary less_equal
// CHECK:         %[[BOUNDS:[^ ]+]] = nn.select %[[SEEN]]
// CHECK:         %[[BIAS:[^ ]+]] = nn.binary add %[[M]], %[[BOUNDS]]
// CHECK:         %[[BIASED:[^ ]+]] = nn.binary add %[[CAPPED]], %[[BIAS]]
// CHECK:         %[[COLUMN:[^ ]+]] = nn.broadcast %[[S]]
// CHECK:         %[[ALL:[^ ]+]] = nn.concat %[[BIASED]], %[[COLUMN]]
// CHECK:         %[[SOFTMAX:[^ ]+]] = nn.softmax %[[ALL]]
// CHECK:         %[[WEIGHTS:[^ ]+]] = nn.slice %[[SOFTMAX]] [0, 0, 0] [2, 4, 8]
// CHECK:         %[[RESULT:[^ ]+]] = nn.matmul %[[WEIGHTS]], %[[V]]
// CHECK:         return %[[RESULT]]
// KEPT-LABEL: func.func @documented_example(
// KEPT-NEXT:    nn.attention %{{.*}} mask %{{.*}} sink %{{.*}} offset %{{.*}} {behind = 0 : i64, scale = 5.000000e-01 : f64, softcap = 3.000000e+00 : f64}
func.func @documented_example(%q: tensor<2x4x3xf32>, %k: tensor<2x3x8xf32>, %v: tensor<2x8x5xf32>, %mask: tensor<8xf32>, %sink: tensor<2x1x1xf32>, %past: tensor<i32>) -> tensor<2x4x5xf32> {
  %0 = nn.attention %q, %k, %v mask %mask sink %sink offset %past {behind = 0 : i64, scale = 0.5 : f64, softcap = 3.0 : f64}
    : tensor<2x4x3xf32>, tensor<2x3x8xf32>, tensor<2x8x5xf32>, tensor<8xf32>, tensor<2x1x1xf32>, tensor<i32>
  return %0 : tensor<2x4x5xf32>
}

// -----

// Narrow operands are scaled before their product, under the transpose, and the softmax is f32. Rows without a key are 0.

// CHECK-LABEL: func.func @narrow(
// CHECK-DAG:     %[[Q:[^ ]+]] = nn.binary mul %arg0
// CHECK-DAG:     %[[K:[^ ]+]] = nn.binary mul %arg1
// CHECK:         %[[T:[^ ]+]] = nn.transpose %[[K]] [0, 2, 1]
// CHECK:         nn.matmul %[[Q]], %[[T]]
// CHECK:         %[[HIGH:[^ ]+]] = nn.binary less_equal
// CHECK:         %[[LOW:[^ ]+]] = nn.binary greater_equal
// CHECK:         nn.binary and %[[HIGH]], %[[LOW]]
// CHECK:         nn.softmax %{{.*}} : tensor<2x4x8xf32>
// CHECK:         %[[LARGEST:[^ ]+]] = nn.reduce max
// CHECK:         %[[HIDDEN:[^ ]+]] = nn.binary equal %[[LARGEST]]
// CHECK:         %[[RESULT:[^ ]+]] = nn.select %[[HIDDEN]], %{{.*}} : tensor<4x1xi1>, tensor<f16>, tensor<2x4x5xf16>
// CHECK:         return %[[RESULT]]
func.func @narrow(%q: tensor<2x4x3xf16>, %k: tensor<2x8x3xf16>, %v: tensor<2x8x5xf16>) -> tensor<2x4x5xf16> {
  %0 = nn.transpose %k [0, 2, 1] : tensor<2x8x3xf16>
  %1 = nn.attention %q, %0, %v {before = 2 : i64, behind = 1 : i64, hides_rows, scale = 0.25 : f64}
    : tensor<2x4x3xf16>, tensor<2x3x8xf16>, tensor<2x8x5xf16>
  return %1 : tensor<2x4x5xf16>
}

// -----

// No kernel computes f64.

// KEPT-LABEL: func.func @doubles(
// KEPT-NOT:     nn.attention
// KEPT:         nn.softmax %{{.*}} : tensor<4x8xf64>
func.func @doubles(%q: tensor<4x3xf64>, %k: tensor<3x8xf64>, %v: tensor<8x5xf64>) -> tensor<4x5xf64> {
  %0 = nn.attention %q, %k, %v {scale = 1.0 : f64} : tensor<4x3xf64>, tensor<3x8xf64>, tensor<8x5xf64>
  return %0 : tensor<4x5xf64>
}
