// RUN: nacre-opt --nacre-form-kernels %s | FileCheck %s
// RUN: nacre-opt --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels --nacre-verify-kernels %s | FileCheck %s --check-prefix=STORED

// What does not depend on the step before is computed for all steps at once; a step is a product and the cell. The counter
// moves the views: step t reads hidden state t and writes hidden state t + 1. The LSTM's cell is updated in place.

// CHECK-LABEL: plan.entry @lstm
// CHECK-DAG:   [[CELL:%[^ ]+]] = plan.storage  temporary : memref<2x8xf32>
// CHECK-DAG:   [[HIDDEN:%[^ ]+]] = plan.storage  temporary : memref<6x2x8xf32>
// CHECK-DAG:   [[INPUTS:%[^ ]+]] = plan.storage  temporary : memref<10x32xf32>
// CHECK:       [[FIRST:%[^ ]+]] = plan.view [[HIDDEN]] : memref<6x2x8xf32> to memref<2x8xf32>
// CHECK:       plan.launch @matmul_{{.*}} into([[INPUTS]])
// CHECK:       plan.launch @broadcast_{{.*}} into([[FIRST]])
// CHECK:       plan.launch @broadcast_{{.*}} into([[CELL]])
// CHECK:       plan.for 5 {
// CHECK:         plan.view [[INPUTS]][%{{.*}}] {step = 64 : i64} : memref<10x32xf32> to memref<2x32xf32>
// CHECK:         plan.view [[HIDDEN]][%{{.*}}] {step = 16 : i64} : memref<6x2x8xf32> to memref<2x8xf32>
// CHECK:         [[NEXT:%[^ ]+]] = plan.view [[HIDDEN]][%{{.*}}] {offset = 16 : i64, step = 16 : i64}
// CHECK:         plan.launch @matmul
// CHECK:         plan.launch @sigmoid_{{.*}} into([[CELL]])
// CHECK:         plan.launch @sigmoid_{{.*}} into([[NEXT]])
// CHECK:       }
// CHECK:       plan.view [[HIDDEN]] {offset = 16 : i64} : memref<6x2x8xf32> to memref<5x2x8xf32>

// The gates are slices of the product, never copies; equal initial states are one kernel.
// STORED-LABEL: plan.entry @lstm
// STORED:       plan.launch @[[ZERO:broadcast_[0-9]+]]()
// STORED:       plan.launch @[[ZERO]]()
// STORED:       plan.for 5
// STORED-NOT:   copy
// STORED:       }
func.func @lstm(%x: tensor<5x2x3xf32> {nn.name = "x"}) -> (tensor<5x2x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x32xf32>
  %r = nn.constant dense<0.25> : tensor<8x32xf32>
  %b = nn.constant dense<0.125> : tensor<2x32xf32>
  %all, %h, %c = nn.recurrent lstm %x, %w, %r bias(%b : tensor<2x32xf32>)
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<5x2x3xf32>, tensor<3x32xf32>, tensor<8x32xf32>
  return %all : tensor<5x2x8xf32>
}

// Backwards, the initial state lies last and views step down. A row that has ended keeps its state; its outputs are zero.

// CHECK-LABEL: plan.entry @reverse
// CHECK:       [[MASK:%[^ ]+]] = plan.storage  temporary : memref<5x2x1xi8>
// CHECK:       plan.launch @less
// CHECK:       plan.for 5 {
// CHECK:         plan.view %{{.*}}[%{{.*}}] {offset = 64 : i64, step = -16 : i64} : memref<10x8xf32> to memref<2x8xf32>
// CHECK:         plan.view %{{.*}}[%{{.*}}] {offset = 80 : i64, step = -16 : i64} : memref<6x2x8xf32> to memref<2x8xf32>
// CHECK:         plan.view [[MASK]][%{{.*}}] {offset = 8 : i64, step = -2 : i64}
// CHECK:         plan.view %{{.*}}[%{{.*}}] {offset = 64 : i64, step = -16 : i64} : memref<6x2x8xf32> to memref<2x8xf32>
// CHECK:         plan.launch @matmul
// CHECK-NOT:     plan.launch
// CHECK:       }
// CHECK:       plan.launch @select
func.func @reverse(%x: tensor<5x2x3xf32> {nn.name = "x"}, %lengths: tensor<2xi32> {nn.name = "lengths"})
    -> (tensor<5x2x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x8xf32>
  %r = nn.constant dense<0.25> : tensor<8x8xf32>
  %all, %h, %c = nn.recurrent rnn %x, %w, %r lengths(%lengths : tensor<2xi32>)
      {reverse, activations = [#nn<unary_kind tanh>]} : tensor<5x2x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>
  return %all : tensor<5x2x8xf32>
}

// A GRU that resets the state before the product needs two products in a row, each with its part of the matrix.

// CHECK-LABEL: plan.entry @gru
// CHECK:       plan.for 5 {
// CHECK:         plan.launch @matmul
// CHECK:         plan.launch @sigmoid
// CHECK:         plan.launch @matmul
// CHECK:       }
func.func @gru(%x: tensor<5x2x3xf32> {nn.name = "x"}) -> (tensor<2x8xf32> {nn.name = "h"}) {
  %w = nn.constant dense<0.5> : tensor<3x24xf32>
  %r = nn.constant dense<0.25> : tensor<8x24xf32>
  %all, %h, %c = nn.recurrent gru %x, %w, %r {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>]}
      : tensor<5x2x3xf32>, tensor<3x24xf32>, tensor<8x24xf32>
  return %h : tensor<2x8xf32>
}
