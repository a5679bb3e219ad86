// RUN: nacre-opt %s --nacre-assign-engine=engine=gpu --nacre-mark-loops --nacre-form-kernels --nacre-assign-storages --nacre-merge-kernels \
// RUN:     --nacre-verify-kernels --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: nacre-opt %s --nacre-form-kernels --split-input-file | FileCheck %s --check-prefix=APART

// A gated unit: all iterations are one kernel, with a point for each row of the batch. The matrix is turned, because columns are side by
// side. The old state is stacked where it is overwritten, and the number that the state begins with is in the code.

// CHECK-LABEL: plan.entry @gated
// CHECK:         plan.launch @transpose_0
// CHECK-NOT:     plan.for
// CHECK:         plan.launch @recurrence_0(%{{[^,]*}}, %{{[^,]*}}) into(%{{.*}}, %{{.*}}) : (memref<9x2x32xf32>, memref<16x32xf32>) into(memref<2x16xf32>, memref<9x2x16xf32>)
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.kernel @recurrence_0 serial
// CHECK-SAME:    cut 0 : 2 by 1
// CHECK:         scf.forall ([[ROW:%[^ ]+]]) in (2)
// CHECK:           [[STATE:%[^ ]+]] = tensor.empty() : tensor<16xf32>
// CHECK:           tensor.empty() : tensor<1x32xf32>
// CHECK:           scf.for {{.*}} iter_args(%{{[^ ]+}} = [[STATE]])
// CHECK:           } {plan.parallel}
// CHECK:           [[ITERATIONS:%[^ ]+]] = arith.constant 9
// CHECK:           scf.for [[ITERATION:%[^ ]+]] = %{{[^ ]+}} to [[ITERATIONS]]
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 scf.for {{.*}} -> (f32)
// CHECK:                   arith.mulf
// CHECK:                   arith.addf
// CHECK:               } {plan.parallel}
// CHECK:             } {plan.parallel}
// CHECK:             scf.for
// CHECK:               tensor.extract %arg0{{\[}}[[ITERATION]], [[ROW]],
// CHECK:               math.tanh
// CHECK:               tensor.insert {{.*}} : tensor<16xf32>
// CHECK:             } {plan.parallel}
// CHECK:         scf.forall.in_parallel
// APART-LABEL: plan.entry @gated
// APART:         plan.for 9
// APART:           plan.launch @matmul
func.func @gated(%x: tensor<9x2x32xf32> {nn.name = "x"}, %w: tensor<32x16xf32> {nn.name = "w"}) -> (tensor<2x16xf32> {nn.name = "h"}, tensor<9x2x16xf32> {nn.name = "all"}) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %h0 = nn.broadcast %zero : tensor<f32> to tensor<2x16xf32>
  %t = nn.transpose %w [1, 0] : tensor<32x16xf32>
  %last, %all = nn.for 9 carried(%h0 : tensor<2x16xf32>) scanned(%x : tensor<9x2x32xf32>) -> (tensor<2x16xf32>, tensor<9x2x16xf32>) {
  ^bb0(%iteration: tensor<i64>, %h: tensor<2x16xf32>, %row: tensor<2x32xf32>):
    %p = nn.matmul %h, %t : tensor<2x16xf32>, tensor<16x32xf32>
    %s = nn.binary add %p, %row : tensor<2x32xf32>, tensor<2x32xf32>
    %a = nn.slice %s [0, 0] [2, 16] [1, 1] : tensor<2x32xf32>
    %b = nn.slice %s [0, 16] [2, 16] [1, 1] : tensor<2x32xf32>
    %c = nn.unary tanh %b : tensor<2x16xf32>
    %n = nn.binary mul %a, %c : tensor<2x16xf32>, tensor<2x16xf32>
    nn.yield %n : tensor<2x16xf32> stacked(%h : tensor<2x16xf32>)
  }
  return %last, %all : tensor<2x16xf32>, tensor<9x2x16xf32>
}

// -----

// Backwards, two parts side by side are what the product multiplies, and its 64 steps are added up in two parts. The parts are stacked, too.

// CHECK-LABEL: plan.entry @backwards
// CHECK:         plan.launch @recurrence_0
// CHECK-NOT:     plan.launch
// CHECK-LABEL: plan.kernel @recurrence_0 serial
// CHECK:         tensor.empty() : tensor<2x32xf32>
// CHECK:         tensor.empty() : tensor<64xf32>
// CHECK:         [[NINE:%[^ ]+]] = arith.constant 9
// CHECK:         scf.for [[AT:%[^ ]+]] = %{{[^ ]+}} to [[NINE]]
// CHECK:           [[LAST:%[^ ]+]] = arith.constant 8
// CHECK:           [[ITERATION:%[^ ]+]] = arith.subi [[LAST]], [[AT]]
// CHECK:           scf.for [[COLUMN:%[^ ]+]] =
// CHECK:             tensor.insert {{.*}}{{\[}}[[COLUMN]]] : tensor<64xf32>
// CHECK:             [[OFFSET:%[^ ]+]] = arith.constant 32
// CHECK:             [[SECOND:%[^ ]+]] = arith.addi [[COLUMN]], [[OFFSET]]
// CHECK:             tensor.insert {{.*}}{{\[}}[[SECOND]]] : tensor<64xf32>
// CHECK:             tensor.insert {{.*}}{{\[}}[[ITERATION]], %{{[^ ,]+}}, [[COLUMN]]] : tensor<9x1x64xf32>
// CHECK:           } {plan.parallel}
// CHECK:           -> (f32)
func.func @backwards(%g: tensor<2x32xf32> {nn.name = "g"}, %x: tensor<9x2x32xf32> {nn.name = "x"}, %w: tensor<64x32xf32> {nn.name = "w"}) -> (tensor<9x2x64xf32> {nn.name = "d"}, tensor<2x32xf32> {nn.name = "last"}) {
  %last, %all = nn.for 9 carried(%g : tensor<2x32xf32>) scanned(%x : tensor<9x2x32xf32>) reverse -> (tensor<2x32xf32>, tensor<9x2x64xf32>) {
  ^bb0(%iteration: tensor<i64>, %d: tensor<2x32xf32>, %row: tensor<2x32xf32>):
    %a = nn.binary mul %d, %row : tensor<2x32xf32>, tensor<2x32xf32>
    %b = nn.binary add %d, %row : tensor<2x32xf32>, tensor<2x32xf32>
    %j = nn.concat %a, %b {axis = 1 : i64} : tensor<2x32xf32>, tensor<2x32xf32>
    %p = nn.matmul %j, %w : tensor<2x64xf32>, tensor<64x32xf32>
    nn.yield %p : tensor<2x32xf32> stacked(%j : tensor<2x64xf32>)
  }
  return %all, %last : tensor<9x2x64xf32>, tensor<2x32xf32>
}

// -----

// Rows that meet are launched iteration by iteration: here each product reads all of them.

// CHECK-LABEL: plan.entry @rows_meet
// CHECK:         plan.for 9
func.func @rows_meet(%g: tensor<2x2xf32> {nn.name = "g"}, %w: tensor<2x2xf32> {nn.name = "w"}) -> (tensor<2x2xf32> {nn.name = "last"}) {
  %last = nn.for 9 carried(%g : tensor<2x2xf32>) -> (tensor<2x2xf32>) {
  ^bb0(%iteration: tensor<i64>, %d: tensor<2x2xf32>):
    %p = nn.matmul %w, %d : tensor<2x2xf32>, tensor<2x2xf32>
    nn.yield %p : tensor<2x2xf32>
  }
  return %last : tensor<2x2xf32>
}

// -----

// So are iterations that read other columns of what they overwrite at their end.

// CHECK-LABEL: plan.entry @other_columns
// CHECK:         plan.for 9
func.func @other_columns(%g: tensor<2x4xf32> {nn.name = "g"}, %w: tensor<4x2xf32> {nn.name = "w"}) -> (tensor<2x4xf32> {nn.name = "last"}) {
  %last = nn.for 9 carried(%g : tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  ^bb0(%iteration: tensor<i64>, %d: tensor<2x4xf32>):
    %p = nn.matmul %d, %w : tensor<2x4xf32>, tensor<4x2xf32>
    %a = nn.slice %d [0, 0] [2, 2] [1, 1] : tensor<2x4xf32>
    %b = nn.slice %d [0, 2] [2, 2] [1, 1] : tensor<2x4xf32>
    %s = nn.binary mul %p, %b : tensor<2x2xf32>, tensor<2x2xf32>
    %t = nn.binary mul %p, %a : tensor<2x2xf32>, tensor<2x2xf32>
    %n = nn.concat %s, %t {axis = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32>
    nn.yield %n : tensor<2x4xf32>
  }
  return %last : tensor<2x4xf32>
}
