// RUN: nacre-opt %s --nacre-verify-kernels | FileCheck %s

// A running sum is accepted as it is: a point's part, carried through a loop in its own place, and given back.

// CHECK: plan.kernel @sums serial
plan.kernel @sums serial (%x: tensor<4x8xf32>) into (%y: tensor<4x8xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %mine = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %zero, %to = %mine) -> (f32, tensor<1x8xf32>) {
      %e = tensor.extract %x[%i, %k] : tensor<4x8xf32>
      %s = arith.addf %sum, %e : f32
      %w = tensor.insert %s into %to[%c0, %k] : tensor<1x8xf32>
      scf.yield %s, %w : f32, tensor<1x8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#1 into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  plan.yield %0 : tensor<4x8xf32>
}

// Only one of two branches hands a tensor on; what is read is read before.

// CHECK: plan.kernel @branches serial
plan.kernel @branches serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    %mine = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %old = tensor.extract %mine[%c0] : tensor<1xf32>
    %isLess = arith.cmpf olt, %old, %zero : f32
    %r = scf.if %isLess -> (tensor<1xf32>) {
      %w = tensor.insert %zero into %mine[%c0] : tensor<1xf32>
      scf.yield %w : tensor<1xf32>
    } else {
      scf.yield %mine : tensor<1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}
