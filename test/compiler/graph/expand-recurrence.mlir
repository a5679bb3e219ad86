// RUN: nacre-opt %s --nacre-expand-recurrence --nacre-fold-constants | FileCheck %s
// RUN: nacre-opt %s --nacre-expand-recurrence --nacre-fold-constants --nacre-prepare-loops --nacre-form-kernels --nacre-assign-storages \
// RUN:     --nacre-merge-kernels --nacre-verify-kernels | FileCheck %s --check-prefix=PLAN

// The example of the pass's documentation. What does not depend on the step before is computed for all steps at once, with the
// sum of both biases; a step is a product and the cell.

// CHECK-LABEL: func.func @documented_example
// CHECK-DAG:     [[R:%[^ ]+]] = nn.constant dense<2.500000e-01> : tensor<8x32xf32>
// CHECK-DAG:     [[X:%[^ ]+]] = nn.matmul %{{.*}} : tensor<10x3xf32>, tensor<3x32xf32>
// CHECK-DAG:     [[B:%[^ ]+]] = nn.constant dense<2.500000e-01> : tensor<1x32xf32>
// CHECK:         [[XB:%[^ ]+]] = nn.binary add [[X]], [[B]]
// CHECK-NEXT:    [[XS:%[^ ]+]] = nn.reshape [[XB]] : tensor<10x32xf32> to tensor<5x2x32xf32>
// CHECK:         [[LOOP:%[^ :]+]]:3 = nn.for 5 carried(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xf32>) scanned([[XS]] : tensor<5x2x32xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, [[H:%[^ :]+]]: tensor<2x8xf32>, [[C:%[^ :]+]]: tensor<2x8xf32>, [[ROW:%[^ :]+]]: tensor<2x32xf32>):
// CHECK-NEXT:      [[P:%[^ ]+]] = nn.matmul [[H]], [[R]]
// CHECK-NEXT:      nn.binary add [[P]], [[ROW]]
// CHECK:           nn.binary mul %{{.*}}, [[C]]
// CHECK:           nn.yield [[NEXT:%[^ ,]+]], %{{.*}} : tensor<2x8xf32>, tensor<2x8xf32> stacked([[NEXT]] : tensor<2x8xf32>)
// CHECK:         return [[LOOP]]#2

// The gates are slices of the product, never copies; the cell is updated in place, hidden states are rows of the result.

// PLAN-LABEL: plan.entry @documented_example
// PLAN-DAG:     [[HIDDEN:%[^ ]+]] = plan.storage  temporary : memref<6x2x8xf32>
// PLAN-DAG:     [[CELL:%[^ ]+]] = plan.storage  temporary : memref<2x8xf32>
// PLAN-DAG:     [[INPUTS:%[^ ]+]] = plan.storage  temporary : memref<10x32xf32>
// PLAN:         plan.launch @matmul_{{[0-9]+}}({{.*}}) into([[INPUTS]])
// PLAN:         plan.launch @[[ZERO:broadcast_[0-9]+]]()
// PLAN-NEXT:    plan.launch @[[ZERO]]()
// PLAN-NEXT:    plan.for 5 {
// PLAN:           [[NEXT:%[^ ]+]] = plan.view [[HIDDEN]][%{{.*}}] {offset = 16 : i64, step = 16 : i64}
// PLAN-DAG:       [[OLD:%[^ ]+]] = plan.view [[HIDDEN]][%{{.*}}] {step = 16 : i64} : memref<6x2x8xf32> to memref<2x8xf32>
// PLAN-DAG:       [[ROW:%[^ ]+]] = plan.view [[INPUTS]][%{{.*}}] {step = 64 : i64} : memref<10x32xf32> to memref<2x32xf32>
// PLAN:           plan.launch @matmul_{{[0-9]+}}([[OLD]], %{{.*}}, [[ROW]]) into([[GATES:%[^ )]+]])
// PLAN-NEXT:      plan.launch @sigmoid_{{[0-9]+}}([[GATES]], [[CELL]], {{.*}}) into([[CELL]])
// PLAN-NEXT:      plan.launch @sigmoid_{{[0-9]+}}([[GATES]], [[CELL]]) into([[NEXT]])
// PLAN-NEXT:    }
// PLAN:         plan.view [[HIDDEN]] {offset = 16 : i64} : memref<6x2x8xf32> to memref<5x2x8xf32>
func.func @documented_example(%x: tensor<5x2x3xf32> {nn.name = "x"}) -> (tensor<5x2x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x32xf32>
  %r = nn.constant dense<0.25> : tensor<8x32xf32>
  %b = nn.constant dense<0.125> : tensor<2x32xf32>
  %all, %h, %c = nn.recurrent lstm %x, %w, %r bias(%b : tensor<2x32xf32>)
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<5x2x3xf32>, tensor<3x32xf32>, tensor<8x32xf32>
  return %all : tensor<5x2x8xf32>
}

// Rows are scanned and stacked from behind. A row of the batch that has ended keeps its state; its outputs are zero.

// CHECK-LABEL: func.func @reverse
// CHECK:         [[INSIDE:%[^ ]+]] = nn.reshape %{{.*}} : tensor<5x2xi1> to tensor<5x2x1xi1>
// CHECK:         [[LOOP:%[^ :]+]]:2 = nn.for 5 carried(%{{.*}}) scanned(%{{.*}}, [[INSIDE]] : tensor<5x2x8xf32>, tensor<5x2x1xi1>) reverse
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, [[H:%[^ :]+]]: tensor<2x8xf32>, %{{.*}}: tensor<2x8xf32>, [[IN:%[^ :]+]]: tensor<2x1xi1>):
// CHECK:           [[NEXT:%[^ ]+]] = nn.select [[IN]], %{{.*}}, [[H]]
// CHECK-NEXT:      nn.yield [[NEXT]]
// CHECK:         nn.select [[INSIDE]], [[LOOP]]#1, %{{.*}}

// PLAN-LABEL: plan.entry @reverse
// PLAN:         plan.for 5 {
// PLAN-DAG:       plan.view %{{.*}}[%{{.*}}] {offset = 64 : i64, step = -16 : i64} : memref<10x8xf32> to memref<2x8xf32>
// PLAN-DAG:       plan.view %{{.*}}[%{{.*}}] {offset = 80 : i64, step = -16 : i64} : memref<6x2x8xf32> to memref<2x8xf32>
// PLAN-DAG:       plan.view %{{.*}}[%{{.*}}] {offset = 8 : i64, step = -2 : i64}
// PLAN-DAG:       plan.view %{{.*}}[%{{.*}}] {offset = 64 : i64, step = -16 : i64} : memref<6x2x8xf32> to memref<2x8xf32>
// PLAN:           plan.launch @matmul
// PLAN-NOT:       plan.launch
// PLAN:         }
// PLAN:         plan.launch @select
func.func @reverse(%x: tensor<5x2x3xf32> {nn.name = "x"}, %lengths: tensor<2xi32> {nn.name = "lengths"})
    -> (tensor<5x2x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<0.5> : tensor<3x8xf32>
  %r = nn.constant dense<0.25> : tensor<8x8xf32>
  %all, %h, %c = nn.recurrent rnn %x, %w, %r lengths(%lengths : tensor<2xi32>)
      {reverse, activations = [#nn<unary_kind tanh>]} : tensor<5x2x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>
  return %all : tensor<5x2x8xf32>
}

// A GRU that resets the state before the product needs two products in a row, each with its part of the matrix. Nobody wants
// to see all states.

// CHECK-LABEL: func.func @gru
// CHECK:         nn.for 5 carried(%{{.*}} : tensor<2x8xf32>) scanned(%{{.*}} : tensor<5x2x24xf32>) -> (tensor<2x8xf32>)
// CHECK:           nn.matmul %{{.*}} : tensor<2x8xf32>, tensor<8x16xf32>
// CHECK:           nn.matmul %{{.*}} : tensor<2x8xf32>, tensor<8x8xf32>
// CHECK:           nn.yield %{{[^ ]+}} : tensor<2x8xf32>{{$}}

// PLAN-LABEL: plan.entry @gru
// PLAN:         plan.for 5 {
// PLAN:           plan.launch @matmul
// PLAN-NEXT:      plan.launch @sigmoid
// PLAN-NEXT:      plan.launch @matmul
// PLAN-NOT:       plan.launch
// PLAN:         }
func.func @gru(%x: tensor<5x2x3xf32> {nn.name = "x"}) -> (tensor<2x8xf32> {nn.name = "h"}) {
  %w = nn.constant dense<0.5> : tensor<3x24xf32>
  %r = nn.constant dense<0.25> : tensor<8x24xf32>
  %all, %h, %c = nn.recurrent gru %x, %w, %r {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>]}
      : tensor<5x2x3xf32>, tensor<3x24xf32>, tensor<8x24xf32>
  return %h : tensor<2x8xf32>
}

// The input's products of all steps would be 50 MiB: a step joins its input and the state, and multiplies both at once.

// CHECK-LABEL: func.func @more_than_a_cache_holds
// CHECK-DAG:     [[W:%[^ ]+]] = nn.concat %{{.*}} {axis = 0 : i64} : tensor<6x2048xf32>, tensor<512x2048xf32>
// CHECK:         nn.for 100 carried({{.*}}) scanned(%arg0 : tensor<100x64x6xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, [[H:%[^ :]+]]: tensor<64x512xf32>, %{{.*}}: tensor<64x512xf32>, [[ROW:%[^ :]+]]: tensor<64x6xf32>):
// CHECK-NEXT:      [[XH:%[^ ]+]] = nn.concat [[ROW]], [[H]] {axis = 1 : i64}
// CHECK-NEXT:      [[P:%[^ ]+]] = nn.matmul [[XH]], [[W]] : tensor<64x518xf32>, tensor<518x2048xf32>
// CHECK-NEXT:      nn.binary add [[P]], %{{.*}} : tensor<64x2048xf32>, tensor<1x2048xf32>
func.func @more_than_a_cache_holds(%x: tensor<100x64x6xf32> {nn.name = "x"}, %w: tensor<6x2048xf32> {nn.name = "w"},
                                   %r: tensor<512x2048xf32> {nn.name = "r"}) -> (tensor<64x512xf32> {nn.name = "y"}) {
  %b = nn.constant dense<0.125> : tensor<2x2048xf32>
  %all, %h, %c = nn.recurrent lstm %x, %w, %r bias(%b : tensor<2x2048xf32>)
      {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>, #nn<unary_kind tanh>]}
      : tensor<100x64x6xf32>, tensor<6x2048xf32>, tensor<512x2048xf32>
  return %h : tensor<64x512xf32>
}

// A GRU needs the input's product by itself; a step computes its own.

// CHECK-LABEL: func.func @gru_of_many_rows
// CHECK:         nn.for 100 carried({{.*}}) scanned(%arg0 : tensor<100x64x6xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, [[H:%[^ :]+]]: tensor<64x512xf32>, [[ROW:%[^ :]+]]: tensor<64x6xf32>):
// CHECK:           nn.matmul [[ROW]], %arg1 : tensor<64x6xf32>, tensor<6x1536xf32>
func.func @gru_of_many_rows(%x: tensor<100x64x6xf32> {nn.name = "x"}, %w: tensor<6x1536xf32> {nn.name = "w"},
                            %r: tensor<512x1536xf32> {nn.name = "r"}) -> (tensor<64x512xf32> {nn.name = "y"}) {
  %all, %h, %c = nn.recurrent gru %x, %w, %r {activations = [#nn<unary_kind sigmoid>, #nn<unary_kind tanh>]}
      : tensor<100x64x6xf32>, tensor<6x1536xf32>, tensor<512x1536xf32>
  return %h : tensor<64x512xf32>
}
