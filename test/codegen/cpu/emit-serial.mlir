// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file | FileCheck %s

// Neighbouring lines of the axis are lanes: four vectors of sums at once, then one, then what is left alone.

// CHECK-LABEL: func.func @sums
// CHECK-NOT:     nacre.fallback
// CHECK:         scf.for {{.*}} step %c32
// CHECK:           scf.for {{.*}} iter_args(%[[SUM:[^ ,:()]+]] = %{{[^ ]+}}) -> (vector<32xf32>)
// CHECK:             %[[X:[^ ,:()]+]] = vector.load %arg0{{.*}} vector<32xf32>
// CHECK:             %[[NEXT:[^ ,:()]+]] = arith.addf %[[SUM]], %[[X]] : vector<32xf32>
// CHECK:             vector.store %[[NEXT]], %arg1
// CHECK:             scf.yield %[[NEXT]]
// CHECK:         scf.for {{.*}} step %c8
// CHECK:           vector.store {{.*}} vector<8xf32>
// CHECK:         scf.for {{.*}} step %c1
// CHECK:           memref.store
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

// -----

// Where an update goes is the same for a whole row of elements: it is computed in scalars, once for as many as fit.

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[AT:[^ ,:()]+]] = memref.load %arg1{{.*}} : memref<6xi64>
// CHECK:             %[[INSIDE:[^ ,:()]+]] = arith.cmpi ult, %[[AT]]
// CHECK:             scf.if %[[INSIDE]] {
// CHECK:               vector.load %arg3{{.*}} vector<32xf32>
// CHECK:               vector.store %{{.*}} vector<32xf32>
plan.kernel @rows serial (%x: tensor<4x37xf32>, %at: tensor<6xi64>, %u: tensor<6x37xf32>) into (%y: tensor<6x50xf32>) cut 1 : 37 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %four = arith.constant 4 : i64
  %one = arith.constant 1.0 : f32
  %region = tensor.extract_slice %y[0, 8] [6, 37] [1, 1] : tensor<6x50xf32> to tensor<6x37xf32>
  %filled = linalg.fill ins(%one : f32) outs(%region : tensor<6x37xf32>) -> tensor<6x37xf32>
  %t = tensor.extract_slice %filled[1, 0] [4, 37] [1, 1] : tensor<6x37xf32> to tensor<4x37xf32>
  %0 = scf.forall (%j) in (37) shared_outs(%o = %t) -> (tensor<4x37xf32>) {
    %mine = tensor.extract_slice %o[0, %j] [4, 1] [1, 1] : tensor<4x37xf32> to tensor<4x1xf32>
    %copied = scf.for %k = %c0 to %c4 step %c1 iter_args(%to = %mine) -> (tensor<4x1xf32>) {
      %e = tensor.extract %x[%k, %j] : tensor<4x37xf32>
      %w = tensor.insert %e into %to[%k, %c0] : tensor<4x1xf32>
      scf.yield %w : tensor<4x1xf32>
    }
    %r = scf.for %k = %c0 to %c6 step %c1 iter_args(%to = %copied) -> (tensor<4x1xf32>) {
      %number = tensor.extract %at[%k] : tensor<6xi64>
      %row = arith.index_cast %number : i64 to index
      %isInside = arith.cmpi ult, %number, %four : i64
      %next = scf.if %isInside -> (tensor<4x1xf32>) {
        %old = tensor.extract %to[%row, %c0] : tensor<4x1xf32>
        %e = tensor.extract %u[%k, %j] : tensor<6x37xf32>
        %s = arith.addf %old, %e : f32
        %w = tensor.insert %s into %to[%row, %c0] : tensor<4x1xf32>
        scf.yield %w : tensor<4x1xf32>
      } else {
        scf.yield %to : tensor<4x1xf32>
      }
      scf.yield %next : tensor<4x1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[0, %j] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x37xf32>
    }
  }
  %i = tensor.insert_slice %0 into %filled[1, 0] [4, 37] [1, 1] : tensor<4x37xf32> into tensor<6x37xf32>
  %s = tensor.insert_slice %i into %y[0, 8] [6, 37] [1, 1] : tensor<6x37xf32> into tensor<6x50xf32>
  plan.yield %s : tensor<6x50xf32>
}

// -----

// A loop that ends when data say has lanes of no two points; what a point has for itself is scratch of its thread.

// CHECK-LABEL: func.func @counted
// CHECK-SAME:    nacre.scratch_bytes = 64
// CHECK-NOT:     vector
// CHECK:         memref.view %arg3{{.*}} : memref<64xi8> to memref<9xf32>
// CHECK:         scf.while
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

// -----

// Units begin where a point does.

// CHECK-LABEL: func.func @ranges
// CHECK-SAME:    nacre.unit_extent = 10
// CHECK:         scf.for {{.*}} step %c4
plan.kernel @ranges serial (%x: tensor<10xi32>, %at: tensor<30xi32>) into (%y: tensor<10xi32>) cut 0 : 10 by 4 {
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
}
