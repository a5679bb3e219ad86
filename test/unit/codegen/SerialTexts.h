// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  serial kernels as text, for the emitters of both engines.

#ifndef NACRE_TEST_UNIT_CODEGEN_SERIALTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_SERIALTEXTS_H

namespace nacre::codegen {

/// Sums along the middle axis of [A, N, B].
inline constexpr char kRunningSum[] = R"(
plan.kernel @kernel serial (%x: tensor<AxNxBxf32>) into (%y: tensor<AxNxBxf32>) cut 0 : A by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant N : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i, %j) in (A, B) shared_outs(%o = %y) -> (tensor<AxNxBxf32>) {
    %mine = tensor.extract_slice %o[%i, 0, %j] [1, N, 1] [1, 1, 1] : tensor<AxNxBxf32> to tensor<1xNx1xf32>
    %r:2 = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %zero, %to = %mine) -> (f32, tensor<1xNx1xf32>) {
      %e = tensor.extract %x[%i, %k, %j] : tensor<AxNxBxf32>
      %s = arith.addf %sum, %e : f32
      %w = tensor.insert %s into %to[%c0, %k, %c0] : tensor<1xNx1xf32>
      scf.yield %s, %w : f32, tensor<1xNx1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#1 into %o[%i, 0, %j] [1, N, 1] [1, 1, 1] : tensor<1xNx1xf32> into tensor<AxNxBxf32>
    }
  }
  plan.yield %0 : tensor<AxNxBxf32>
})";

/// Adds six rows of COLS elements to those of 4 that their indices name. The columns are in a storage of 50 from 8 on,
/// with a border of ones below and above. The columns are cut.
inline constexpr char kAddedRows[] = R"(
plan.kernel @kernel serial (%x: tensor<4xCOLSxf32>, %at: tensor<6xi64>, %u: tensor<6xCOLSxf32>) into (%y: tensor<6x50xf32>) cut 1 : COLS by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %four = arith.constant 4 : i64
  %one = arith.constant 1.0 : f32
  %region = tensor.extract_slice %y[0, 8] [6, COLS] [1, 1] : tensor<6x50xf32> to tensor<6xCOLSxf32>
  %filled = linalg.fill ins(%one : f32) outs(%region : tensor<6xCOLSxf32>) -> tensor<6xCOLSxf32>
  %t = tensor.extract_slice %filled[1, 0] [4, COLS] [1, 1] : tensor<6xCOLSxf32> to tensor<4xCOLSxf32>
  %0 = scf.forall (%j) in (COLS) shared_outs(%o = %t) -> (tensor<4xCOLSxf32>) {
    %mine = tensor.extract_slice %o[0, %j] [4, 1] [1, 1] : tensor<4xCOLSxf32> to tensor<4x1xf32>
    %copied = scf.for %k = %c0 to %c4 step %c1 iter_args(%to = %mine) -> (tensor<4x1xf32>) {
      %e = tensor.extract %x[%k, %j] : tensor<4xCOLSxf32>
      %w = tensor.insert %e into %to[%k, %c0] : tensor<4x1xf32>
      scf.yield %w : tensor<4x1xf32>
    }
    %r = scf.for %k = %c0 to %c6 step %c1 iter_args(%to = %copied) -> (tensor<4x1xf32>) {
      %number = tensor.extract %at[%k] : tensor<6xi64>
      %row = arith.index_cast %number : i64 to index
      %isInside = arith.cmpi ult, %number, %four : i64
      %next = scf.if %isInside -> (tensor<4x1xf32>) {
        %old = tensor.extract %to[%row, %c0] : tensor<4x1xf32>
        %e = tensor.extract %u[%k, %j] : tensor<6xCOLSxf32>
        %s = arith.addf %old, %e : f32
        %w = tensor.insert %s into %to[%row, %c0] : tensor<4x1xf32>
        scf.yield %w : tensor<4x1xf32>
      } else {
        scf.yield %to : tensor<4x1xf32>
      }
      scf.yield %next : tensor<4x1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[0, %j] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4xCOLSxf32>
    }
  }
  %i = tensor.insert_slice %0 into %filled[1, 0] [4, COLS] [1, 1] : tensor<4xCOLSxf32> into tensor<6xCOLSxf32>
  %s = tensor.insert_slice %i into %y[0, 8] [6, COLS] [1, 1] : tensor<6xCOLSxf32> into tensor<6x50xf32>
  plan.yield %s : tensor<6x50xf32>
})";

/// Each of 20 rows of 9 elements: how many there are until their magnitudes add up to 2, and the sum of those at even
/// places. It has two results, a loop whose end data decide, a branch without tensors, and memory of the point's own.
inline constexpr char kCounted[] = R"(
plan.kernel @kernel serial (%x: tensor<20x9xf32>) into (%n: tensor<20xi64>, %y: tensor<20xf32>) cut 0 : 20 by 1 {
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
})";

/// A point owns four indices, the last one two, and doubles each of its own that 30 indices name, counted from -4.
inline constexpr char kRanges[] = R"(
plan.kernel @kernel serial (%x: tensor<10xi32>, %at: tensor<30xi32>) into (%y: tensor<10xi32>) cut 0 : 10 by 4 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %c30 = arith.constant 30 : index
  %four = arith.constant 4 : i32
  %0 = scf.forall (%i) = (0) to (10) step (4) shared_outs(%o = %y) -> (tensor<10xi32>) {
    %left = arith.subi %c10, %i : index
    %size = arith.minsi %left, %c4 : index
    %mine = tensor.extract_slice %o[%i] [%size] [1] : tensor<10xi32> to tensor<?xi32>
    %copied = scf.for %k = %c0 to %size step %c1 iter_args(%to = %mine) -> (tensor<?xi32>) {
      %from = arith.addi %i, %k : index
      %e = tensor.extract %x[%from] : tensor<10xi32>
      %w = tensor.insert %e into %to[%k] : tensor<?xi32>
      scf.yield %w : tensor<?xi32>
    }
    %r = scf.for %k = %c0 to %c30 step %c1 iter_args(%to = %copied) -> (tensor<?xi32>) {
      %number = tensor.extract %at[%k] : tensor<30xi32>
      %shifted = arith.addi %number, %four : i32
      %row = arith.index_cast %shifted : i32 to index
      %own = arith.subi %row, %i : index
      %isMine = arith.cmpi ult, %own, %size : index
      %next = scf.if %isMine -> (tensor<?xi32>) {
        %old = tensor.extract %to[%own] : tensor<?xi32>
        %s = arith.addi %old, %old : i32
        %w = tensor.insert %s into %to[%own] : tensor<?xi32>
        scf.yield %w : tensor<?xi32>
      } else {
        scf.yield %to : tensor<?xi32>
      }
      scf.yield %next : tensor<?xi32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i] [%size] [1] : tensor<?xi32> into tensor<10xi32>
    }
  }
  plan.yield %0 : tensor<10xi32>
})";

/// A recurrence from the last row of x to the first: a point takes a row of the batch through three iterations, in each
/// of which it multiplies its state by a matrix, in two parts of the depth, and adds a row of x to an eighth of that.
inline constexpr char kIterations[] = R"(
plan.kernel @kernel serial (%x: tensor<3x5xCOLSxf32>, %w: tensor<COLSxCOLSxf32>) into (%last: tensor<5xCOLSxf32>, %all: tensor<3x5xCOLSxf32>) cut 0 : 5 by 1 {
  %0:2 = scf.forall (%i) in (5) shared_outs(%l = %last, %a = %all) -> (tensor<5xCOLSxf32>, tensor<3x5xCOLSxf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %steps = arith.constant HALF : index
    %columns = arith.constant COLS : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %eighth = arith.constant 0.125 : f32
    %mine = tensor.extract_slice %l[%i, 0] [1, COLS] [1, 1] : tensor<5xCOLSxf32> to tensor<1xCOLSxf32>
    %rows = tensor.extract_slice %a[0, %i, 0] [3, 1, COLS] [1, 1, 1] : tensor<3x5xCOLSxf32> to tensor<3x1xCOLSxf32>
    %e = tensor.empty() : tensor<COLSxf32>
    %p = tensor.empty() : tensor<2xCOLSxf32>
    %h = scf.for %j = %c0 to %columns step %c1 iter_args(%to = %e) -> (tensor<COLSxf32>) {
      %n = tensor.insert %one into %to[%j] : tensor<COLSxf32>
      scf.yield %n : tensor<COLSxf32>
    } {plan.parallel}
    %r:3 = scf.for %t = %c0 to %c3 step %c1 iter_args(%old = %h, %stack = %rows, %s = %p) -> (tensor<COLSxf32>, tensor<3x1xCOLSxf32>, tensor<2xCOLSxf32>) {
      %iteration = arith.subi %c2, %t : index
      %sums = scf.for %q = %c0 to %c2 step %c1 iter_args(%to = %s) -> (tensor<2xCOLSxf32>) {
        %part = scf.for %j = %c0 to %columns step %c1 iter_args(%into = %to) -> (tensor<2xCOLSxf32>) {
          %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%so = %zero) -> (f32) {
            %first = arith.muli %q, %steps : index
            %step = arith.addi %first, %k : index
            %left = tensor.extract %old[%step] : tensor<COLSxf32>
            %right = tensor.extract %w[%step, %j] : tensor<COLSxCOLSxf32>
            %product = arith.mulf %left, %right : f32
            %next = arith.addf %so, %product : f32
            scf.yield %next : f32
          }
          %n = tensor.insert %sum into %into[%q, %j] : tensor<2xCOLSxf32>
          scf.yield %n : tensor<2xCOLSxf32>
        } {plan.parallel}
        scf.yield %part : tensor<2xCOLSxf32>
      } {plan.parallel}
      %new:2 = scf.for %j = %c0 to %columns step %c1 iter_args(%state = %old, %to = %stack) -> (tensor<COLSxf32>, tensor<3x1xCOLSxf32>) {
        %one_part = tensor.extract %sums[%c0, %j] : tensor<2xCOLSxf32>
        %other = tensor.extract %sums[%c1, %j] : tensor<2xCOLSxf32>
        %sum = arith.addf %one_part, %other : f32
        %scaled = arith.mulf %sum, %eighth : f32
        %read = tensor.extract %x[%iteration, %i, %j] : tensor<3x5xCOLSxf32>
        %value = arith.addf %scaled, %read : f32
        %n = tensor.insert %value into %state[%j] : tensor<COLSxf32>
        %m = tensor.insert %value into %to[%iteration, %c0, %j] : tensor<3x1xCOLSxf32>
        scf.yield %n, %m : tensor<COLSxf32>, tensor<3x1xCOLSxf32>
      } {plan.parallel}
      scf.yield %new#0, %new#1, %sums : tensor<COLSxf32>, tensor<3x1xCOLSxf32>, tensor<2xCOLSxf32>
    }
    %final = scf.for %j = %c0 to %columns step %c1 iter_args(%to = %mine) -> (tensor<1xCOLSxf32>) {
      %v = tensor.extract %r#0[%j] : tensor<COLSxf32>
      %n = tensor.insert %v into %to[%c0, %j] : tensor<1xCOLSxf32>
      scf.yield %n : tensor<1xCOLSxf32>
    } {plan.parallel}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %final into %l[%i, 0] [1, COLS] [1, 1] : tensor<1xCOLSxf32> into tensor<5xCOLSxf32>
      tensor.parallel_insert_slice %r#1 into %a[0, %i, 0] [3, 1, COLS] [1, 1, 1] : tensor<3x1xCOLSxf32> into tensor<3x5xCOLSxf32>
    }
  }
  plan.yield %0#0, %0#1 : tensor<5xCOLSxf32>, tensor<3x5xCOLSxf32>
})";

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_SERIALTEXTS_H
