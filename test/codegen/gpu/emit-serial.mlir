// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// Neighbouring invocations have neighbouring lines; the cut axis is counted slowest.

// CHECK-LABEL: gpu.module @sums_0
// CHECK:         %[[COLUMN:[^ :]+]] = arith.remui %[[POINT:[^ :]+]], %c150
// CHECK:         %[[ROW:[^ :]+]] = arith.divui %[[POINT]], %c150
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} iter_args(%[[SUM:[^ ,:()]+]] = %{{[^ ]+}}) -> (f32)
// CHECK:             %[[NEXT:[^ ,:()]+]] = arith.addf %[[SUM]], %{{[^ ]+}} : f32
// CHECK:             memref.store %[[NEXT]], %arg1
plan.kernel @sums serial (%x: tensor<3x7x150xf32>) into (%y: tensor<3x7x150xf32>) cut 0 : 3 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i, %j) in (3, 150) shared_outs(%o = %y) -> (tensor<3x7x150xf32>) {
    %mine = tensor.extract_slice %o[%i, 0, %j] [1, 7, 1] [1, 1, 1] : tensor<3x7x150xf32> to tensor<1x7x1xf32>
    %r:2 = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %zero, %to = %mine) -> (f32, tensor<1x7x1xf32>) {
      %e = tensor.extract %x[%i, %k, %j] : tensor<3x7x150xf32>
      %s = arith.addf %sum, %e : f32
      %w = tensor.insert %s into %to[%c0, %k, %c0] : tensor<1x7x1xf32>
      scf.yield %s, %w : f32, tensor<1x7x1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#1 into %o[%i, 0, %j] [1, 7, 1] [1, 1, 1] : tensor<1x7x1xf32> into tensor<3x7x150xf32>
    }
  }
  plan.yield %0 : tensor<3x7x150xf32>
}

// What a point has for itself lies in a variable; a loop that may have no iterations is left out then.

// CHECK-LABEL: gpu.module @counted_0
// CHECK:         memref.alloca() : memref<9xf32, #spirv.storage_class<Function>>
// CHECK:         scf.while
// CHECK:         %[[ENTERED:[^ ,:()]+]] = arith.cmpi {{slt|sgt}}
// CHECK:         scf.if %[[ENTERED]] -> (f32)
plan.kernel @counted serial (%x: tensor<20x9xf32>) into (%n: tensor<20xi64>, %y: tensor<20xf32>) cut 0 : 20 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %0:2 = scf.forall (%i) in (20) shared_outs(%counts = %n, %sums = %y) -> (tensor<20xi64>, tensor<20xf32>) {
    %count = tensor.extract_slice %counts[%i] [1] [1] : tensor<20xi64> to tensor<1xi64>
    %sum = tensor.extract_slice %sums[%i] [1] [1] : tensor<20xf32> to tensor<1xf32>
    %own = tensor.empty() : tensor<9xf32>
    %r:3 = scf.while (%k = %c0, %s = %zero, %seen = %own) : (index, f32, tensor<9xf32>) -> (index, f32, tensor<9xf32>) {
      %isShort = arith.cmpf olt, %s, %two : f32
      %isInside = arith.cmpi ult, %k, %c9 : index
      %goes = arith.andi %isShort, %isInside : i1
      scf.condition(%goes) %k, %s, %seen : index, f32, tensor<9xf32>
    } do {
    ^bb0(%k: index, %s: f32, %seen: tensor<9xf32>):
      %e = tensor.extract %x[%i, %k] : tensor<20x9xf32>
      %m = math.absf %e : f32
      %w = tensor.insert %m into %seen[%k] : tensor<9xf32>
      %t = arith.addf %s, %m : f32
      %l = arith.addi %k, %c1 : index
      scf.yield %l, %t, %w : index, f32, tensor<9xf32>
    }
    %total = scf.for %k = %c0 to %r#0 step %c1 iter_args(%s = %zero) -> (f32) {
      %rest = arith.remui %k, %c2 : index
      %isEven = arith.cmpi eq, %rest, %c0 : index
      %next = scf.if %isEven -> (f32) {
        %e = tensor.extract %r#2[%k] : tensor<9xf32>
        %t = arith.addf %s, %e : f32
        scf.yield %t : f32
      } else {
        scf.yield %s : f32
      }
      scf.yield %next : f32
    }
    %number = arith.index_cast %r#0 : index to i64
    %a = tensor.insert %number into %count[%c0] : tensor<1xi64>
    %b = tensor.insert %total into %sum[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %counts[%i] [1] [1] : tensor<1xi64> into tensor<20xi64>
      tensor.parallel_insert_slice %b into %sums[%i] [1] [1] : tensor<1xf32> into tensor<20xf32>
    }
  }
  plan.yield %0#0, %0#1 : tensor<20xi64>, tensor<20xf32>
}

// Software GPUs run 65,535 iterations of an invocation at most. A loop that also ends by its counter is known to be within that: 4000 times 9.

// CHECK-LABEL: gpu.module @counters_0
// CHECK:         nacre.families = 0 : i64
plan.kernel @counters serial (%x: tensor<20x9xf32>) into (%y: tensor<20xf32>) cut 0 : 20 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c4000 = arith.constant 4000 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (20) shared_outs(%sums = %y) -> (tensor<20xf32>) {
    %sum = tensor.extract_slice %sums[%i] [1] [1] : tensor<20xf32> to tensor<1xf32>
    %total = scf.for %j = %c0 to %c4000 step %c1 iter_args(%all = %zero) -> (f32) {
      %r:2 = scf.while (%k = %c0, %s = %all) : (index, f32) -> (index, f32) {
        %isShort = arith.cmpf olt, %s, %zero : f32
        %isInside = arith.cmpi ult, %k, %c9 : index
        %goes = arith.andi %isShort, %isInside : i1
        scf.condition(%goes) %k, %s : index, f32
      } do {
      ^bb0(%k: index, %s: f32):
        %e = tensor.extract %x[%i, %k] : tensor<20x9xf32>
        %t = arith.addf %s, %e : f32
        %l = arith.addi %k, %c1 : index
        scf.yield %l, %t : index, f32
      }
      scf.yield %r#1 : f32
    }
    %b = tensor.insert %total into %sum[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %sums[%i] [1] [1] : tensor<1xf32> into tensor<20xf32>
    }
  }
  plan.yield %0 : tensor<20xf32>
}

// Where only data end it, nobody knows: the variant is not for them (bit 7).

// CHECK-LABEL: gpu.module @unknown_0
// CHECK:         nacre.families = 127 : i64
plan.kernel @unknown serial (%x: tensor<20x9xf32>) into (%y: tensor<20xf32>) cut 0 : 20 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4000 = arith.constant 4000 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (20) shared_outs(%sums = %y) -> (tensor<20xf32>) {
    %sum = tensor.extract_slice %sums[%i] [1] [1] : tensor<20xf32> to tensor<1xf32>
    %total = scf.for %j = %c0 to %c4000 step %c1 iter_args(%all = %zero) -> (f32) {
      %r:2 = scf.while (%k = %c0, %s = %all) : (index, f32) -> (index, f32) {
        %isShort = arith.cmpf olt, %s, %zero : f32
        scf.condition(%isShort) %k, %s : index, f32
      } do {
      ^bb0(%k: index, %s: f32):
        %e = tensor.extract %x[%i, %k] : tensor<20x9xf32>
        %t = arith.addf %s, %e : f32
        %l = arith.addi %k, %c1 : index
        scf.yield %l, %t : index, f32
      }
      scf.yield %r#1 : f32
    }
    %b = tensor.insert %total into %sum[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %sums[%i] [1] [1] : tensor<1xf32> into tensor<20xf32>
    }
  }
  plan.yield %0 : tensor<20xf32>
}
