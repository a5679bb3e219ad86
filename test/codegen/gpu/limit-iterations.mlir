// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// Emulated GPUs leave the loops of a shader after 65,535 iterations. A loop of 66,000 becomes one of 33,000 with twice the body.

// CHECK-LABEL: gpu.module @sum_0
// CHECK:         nacre.families = 0 : i64
// CHECK:         scf.for %{{[^ ]+}} = %c0 to %c66000 step %c2
// CHECK-COUNT-2:   arith.addf
// CHECK-NOT:       arith.addf
plan.kernel @sum serial (%x: tensor<2x66000xf32>) into (%y: tensor<2xf32>) cut 0 : 2 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 66000 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (2) shared_outs(%sums = %y) -> (tensor<2xf32>) {
    %mine = tensor.extract_slice %sums[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f32) {
      %e = tensor.extract %x[%i, %k] : tensor<2x66000xf32>
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    %w = tensor.insert %sum into %mine[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %sums[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  plan.yield %0 : tensor<2xf32>
}

// Data end the second loop, so that unrolling the first one is no use: other GPUs than emulated ones get the code as it was.

// CHECK-LABEL: gpu.module @searched_0
// CHECK:         nacre.families = 127 : i64
// CHECK:         scf.for %{{[^ ]+}} = %c0 to %c66000 step %c1
// CHECK-COUNT-1:   arith.addf
// CHECK-NOT:       arith.addf
// CHECK:         scf.for %{{[^ ]+}} = %c0 to %c3000 step %c1
// CHECK:           scf.while
plan.kernel @searched serial (%x: tensor<2x66000xf32>) into (%y: tensor<2xf32>) cut 0 : 2 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 3000 : index
  %end = arith.constant 66000 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %0 = scf.forall (%i) in (2) shared_outs(%sums = %y) -> (tensor<2xf32>) {
    %mine = tensor.extract_slice %sums[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f32) {
      %e = tensor.extract %x[%i, %k] : tensor<2x66000xf32>
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    %found = scf.for %k = %c0 to %few step %c1 iter_args(%s = %sum) -> (f32) {
      %least = scf.while (%v = %s) : (f32) -> (f32) {
        %goes = arith.cmpf ogt, %v, %half : f32
        scf.condition(%goes) %v : f32
      } do {
      ^bb0(%v: f32):
        %h = arith.mulf %v, %half : f32
        scf.yield %h : f32
      }
      scf.yield %least : f32
    }
    %w = tensor.insert %found into %mine[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %sums[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  plan.yield %0 : tensor<2xf32>
}
