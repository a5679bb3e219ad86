// RUN: nacre-kernel %s --gpu --gpu-emit=gpu | FileCheck %s

// A workgroup takes a row. Two parts of the depth of six columns are work for twelve invocations, which wait for one another behind each
// parallel loop. The state and the sums are in shared memory.

// CHECK-LABEL: gpu.module @few_0
// CHECK-SAME:  {
// CHECK:         nacre.groups = 1 : i64
// CHECK-SAME:    nacre.workgroup_size = 128 : i64
// CHECK-DAG:     %[[SUMS:[^ ]+]] = memref.alloc() : memref<12xf32, #spirv.storage_class<Workgroup>>
// CHECK-DAG:     %[[STATE:[^ ]+]] = memref.alloc() : memref<6xf32, #spirv.storage_class<Workgroup>>
// CHECK:         memref.store %{{[^ ]+}}, %[[STATE]][%thread_id_x]
// CHECK:         gpu.barrier
// CHECK:         arith.cmpi ult, %thread_id_x, %c12
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             arith.remui %thread_id_x, %c6
// CHECK:             arith.divui %thread_id_x, %c6
// CHECK:             memref.load %[[STATE]]
// CHECK:             memref.store %{{[^ ]+}}, %[[SUMS]]
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             memref.load %[[SUMS]]
// CHECK:             memref.store %{{[^ ]+}}, %[[STATE]][%thread_id_x]
// CHECK:           gpu.barrier
// CHECK:         gpu.return
// CHECK-NOT:   gpu.module @few_1
plan.kernel @few serial (%x: tensor<3x5x6xf32>, %w: tensor<6x6xf32>) into (%last: tensor<5x6xf32>, %all: tensor<3x5x6xf32>) cut 0 : 5 by 1 {
  %0:2 = scf.forall (%i) in (5) shared_outs(%l = %last, %a = %all) -> (tensor<5x6xf32>, tensor<3x5x6xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %steps = arith.constant 3 : index
    %columns = arith.constant 6 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %eighth = arith.constant 0.125 : f32
    %mine = tensor.extract_slice %l[%i, 0] [1, 6] [1, 1] : tensor<5x6xf32> to tensor<1x6xf32>
    %rows = tensor.extract_slice %a[0, %i, 0] [3, 1, 6] [1, 1, 1] : tensor<3x5x6xf32> to tensor<3x1x6xf32>
    %e = tensor.empty() : tensor<6xf32>
    %p = tensor.empty() : tensor<2x6xf32>
    %h = scf.for %j = %c0 to %columns step %c1 iter_args(%to = %e) -> (tensor<6xf32>) {
      %n = tensor.insert %one into %to[%j] : tensor<6xf32>
      scf.yield %n : tensor<6xf32>
    } {plan.parallel}
    %r:3 = scf.for %t = %c0 to %c3 step %c1 iter_args(%old = %h, %stack = %rows, %s = %p) -> (tensor<6xf32>, tensor<3x1x6xf32>, tensor<2x6xf32>) {
      %iteration = arith.subi %c2, %t : index
      %sums = scf.for %q = %c0 to %c2 step %c1 iter_args(%to = %s) -> (tensor<2x6xf32>) {
        %part = scf.for %j = %c0 to %columns step %c1 iter_args(%into = %to) -> (tensor<2x6xf32>) {
          %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%so = %zero) -> (f32) {
            %first = arith.muli %q, %steps : index
            %step = arith.addi %first, %k : index
            %left = tensor.extract %old[%step] : tensor<6xf32>
            %right = tensor.extract %w[%step, %j] : tensor<6x6xf32>
            %product = arith.mulf %left, %right : f32
            %next = arith.addf %so, %product : f32
            scf.yield %next : f32
          }
          %n = tensor.insert %sum into %into[%q, %j] : tensor<2x6xf32>
          scf.yield %n : tensor<2x6xf32>
        } {plan.parallel}
        scf.yield %part : tensor<2x6xf32>
      } {plan.parallel}
      %new:2 = scf.for %j = %c0 to %columns step %c1 iter_args(%state = %old, %to = %stack) -> (tensor<6xf32>, tensor<3x1x6xf32>) {
        %one_part = tensor.extract %sums[%c0, %j] : tensor<2x6xf32>
        %other = tensor.extract %sums[%c1, %j] : tensor<2x6xf32>
        %sum = arith.addf %one_part, %other : f32
        %scaled = arith.mulf %sum, %eighth : f32
        %read = tensor.extract %x[%iteration, %i, %j] : tensor<3x5x6xf32>
        %value = arith.addf %scaled, %read : f32
        %n = tensor.insert %value into %state[%j] : tensor<6xf32>
        %m = tensor.insert %value into %to[%iteration, %c0, %j] : tensor<3x1x6xf32>
        scf.yield %n, %m : tensor<6xf32>, tensor<3x1x6xf32>
      } {plan.parallel}
      scf.yield %new#0, %new#1, %sums : tensor<6xf32>, tensor<3x1x6xf32>, tensor<2x6xf32>
    }
    %final = scf.for %j = %c0 to %columns step %c1 iter_args(%to = %mine) -> (tensor<1x6xf32>) {
      %v = tensor.extract %r#0[%j] : tensor<6xf32>
      %n = tensor.insert %v into %to[%c0, %j] : tensor<1x6xf32>
      scf.yield %n : tensor<1x6xf32>
    } {plan.parallel}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %final into %l[%i, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<5x6xf32>
      tensor.parallel_insert_slice %r#1 into %a[0, %i, 0] [3, 1, 6] [1, 1, 1] : tensor<3x1x6xf32> into tensor<3x5x6xf32>
    }
  }
  plan.yield %0#0, %0#1 : tensor<5x6xf32>, tensor<3x5x6xf32>
}

// With 256 sums, GPUs that have registers for them have as many invocations. Each loads its 64 weights before the iterations. The other variant
// loads them in each iteration, sixteen at a time.

// CHECK-LABEL: gpu.module @many_0
// CHECK:         nacre.workgroup_size = 256 : i64
// CHECK:         gpu.barrier
// CHECK-COUNT-64: memref.load %arg0{{.*}}StorageBuffer
// CHECK-NOT:     memref.load %arg0
// CHECK:         scf.for
// CHECK-NOT:     memref.load %arg0
// CHECK-LABEL: gpu.module @many_1
// CHECK:         nacre.workgroup_size = 128 : i64
// CHECK-NOT:     memref.load %arg0
// CHECK:         scf.for %{{[^ ]+}} = %c0 to %c3
// CHECK:           scf.for %{{[^ ]+}} = %c0 to %c2
// CHECK:             scf.for %{{[^ ]+}} = %c0 to %c64 step %c16
// CHECK-COUNT-16:      memref.load %arg0{{.*}}StorageBuffer
// CHECK-NOT:     memref.load %arg0
plan.kernel @many serial (%x: tensor<3x5x128xf32>, %w: tensor<128x128xf32>) into (%last: tensor<5x128xf32>, %all: tensor<3x5x128xf32>) cut 0 : 5 by 1 {
  %0:2 = scf.forall (%i) in (5) shared_outs(%l = %last, %a = %all) -> (tensor<5x128xf32>, tensor<3x5x128xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %steps = arith.constant 64 : index
    %columns = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %eighth = arith.constant 0.125 : f32
    %mine = tensor.extract_slice %l[%i, 0] [1, 128] [1, 1] : tensor<5x128xf32> to tensor<1x128xf32>
    %rows = tensor.extract_slice %a[0, %i, 0] [3, 1, 128] [1, 1, 1] : tensor<3x5x128xf32> to tensor<3x1x128xf32>
    %e = tensor.empty() : tensor<128xf32>
    %p = tensor.empty() : tensor<2x128xf32>
    %h = scf.for %j = %c0 to %columns step %c1 iter_args(%to = %e) -> (tensor<128xf32>) {
      %n = tensor.insert %one into %to[%j] : tensor<128xf32>
      scf.yield %n : tensor<128xf32>
    } {plan.parallel}
    %r:3 = scf.for %t = %c0 to %c3 step %c1 iter_args(%old = %h, %stack = %rows, %s = %p) -> (tensor<128xf32>, tensor<3x1x128xf32>, tensor<2x128xf32>) {
      %iteration = arith.subi %c2, %t : index
      %sums = scf.for %q = %c0 to %c2 step %c1 iter_args(%to = %s) -> (tensor<2x128xf32>) {
        %part = scf.for %j = %c0 to %columns step %c1 iter_args(%into = %to) -> (tensor<2x128xf32>) {
          %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%so = %zero) -> (f32) {
            %first = arith.muli %q, %steps : index
            %step = arith.addi %first, %k : index
            %left = tensor.extract %old[%step] : tensor<128xf32>
            %right = tensor.extract %w[%step, %j] : tensor<128x128xf32>
            %product = arith.mulf %left, %right : f32
            %next = arith.addf %so, %product : f32
            scf.yield %next : f32
          }
          %n = tensor.insert %sum into %into[%q, %j] : tensor<2x128xf32>
          scf.yield %n : tensor<2x128xf32>
        } {plan.parallel}
        scf.yield %part : tensor<2x128xf32>
      } {plan.parallel}
      %new:2 = scf.for %j = %c0 to %columns step %c1 iter_args(%state = %old, %to = %stack) -> (tensor<128xf32>, tensor<3x1x128xf32>) {
        %one_part = tensor.extract %sums[%c0, %j] : tensor<2x128xf32>
        %other = tensor.extract %sums[%c1, %j] : tensor<2x128xf32>
        %sum = arith.addf %one_part, %other : f32
        %scaled = arith.mulf %sum, %eighth : f32
        %read = tensor.extract %x[%iteration, %i, %j] : tensor<3x5x128xf32>
        %value = arith.addf %scaled, %read : f32
        %n = tensor.insert %value into %state[%j] : tensor<128xf32>
        %m = tensor.insert %value into %to[%iteration, %c0, %j] : tensor<3x1x128xf32>
        scf.yield %n, %m : tensor<128xf32>, tensor<3x1x128xf32>
      } {plan.parallel}
      scf.yield %new#0, %new#1, %sums : tensor<128xf32>, tensor<3x1x128xf32>, tensor<2x128xf32>
    }
    %final = scf.for %j = %c0 to %columns step %c1 iter_args(%to = %mine) -> (tensor<1x128xf32>) {
      %v = tensor.extract %r#0[%j] : tensor<128xf32>
      %n = tensor.insert %v into %to[%c0, %j] : tensor<1x128xf32>
      scf.yield %n : tensor<1x128xf32>
    } {plan.parallel}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %final into %l[%i, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<5x128xf32>
      tensor.parallel_insert_slice %r#1 into %a[0, %i, 0] [3, 1, 128] [1, 1, 1] : tensor<3x1x128xf32> into tensor<3x5x128xf32>
    }
  }
  plan.yield %0#0, %0#1 : tensor<5x128xf32>, tensor<3x5x128xf32>
}
