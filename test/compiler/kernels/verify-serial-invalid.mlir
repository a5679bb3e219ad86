// RUN: nacre-opt %s --split-input-file --nacre-verify-kernels --verify-diagnostics

// What is read after it was written would be the new contents.

plan.kernel @reads_an_older_name serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    %mine = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %w = tensor.insert %zero into %mine[%c0] : tensor<1xf32>
    // expected-error@+2 {{must use a tensor by its last name}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %old = tensor.extract %mine[%c0] : tensor<1xf32>
    %v = tensor.insert %old into %w[%c0] : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}

// -----

// Two tensors that change places in a loop would need a copy.

plan.kernel @swaps serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>, %z: tensor<4xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0:2 = scf.forall (%i) in (4) shared_outs(%o = %y, %p = %z) -> (tensor<4xf32>, tensor<4xf32>) {
    %a = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %b = tensor.extract_slice %p[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    // expected-error@+2 {{must carry each tensor in its own place}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%c = %a, %d = %b) -> (tensor<1xf32>, tensor<1xf32>) {
      scf.yield %d, %c : tensor<1xf32>, tensor<1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#0 into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %r#1 into %p[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Every iteration would write what the first one was given.

plan.kernel @writes_from_inside serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    %mine = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.for %k = %c0 to %c8 step %c1 {
      // expected-error@+2 {{must be given what it writes by the loop that it is in}}
      // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
      %w = tensor.insert %zero into %mine[%c0] : tensor<1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %mine into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}

// -----

// Inputs are read.

plan.kernel @writes_an_input serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    %mine = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    // expected-error@+2 {{must write a part of a result, or a tensor of its own}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %w = tensor.insert %zero into %x[%c0] : tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %mine into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}

// -----

// Two points would write the same element.

plan.kernel @writes_another_place serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    // expected-error@+2 {{must begin where its point is along the cut axis}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %mine = tensor.extract_slice %o[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %mine into %o[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}

// -----

// The loop over points is the cut.

plan.kernel @other_steps serial (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 2 {
  // expected-error@+2 {{must walk the cut axis first, by its grain, and be of static bounds}}
  // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    %mine = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %mine into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}

// -----

// Programs are of other kinds nothing.

// expected-error@+2 {{must have the form of kind nest, but holds 0 reductions, 0 maps and 1 loops over points}}
// expected-note@+1 {{likely a missing case in nacre-form-kernels}}
plan.kernel @no_nest nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    %mine = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %mine into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  plan.yield %0 : tensor<4xf32>
}

// -----

// A sum has an order.

plan.kernel @parallel_sums serial (%x: tensor<4xf32>) into (%y: tensor<4x8xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %mine = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    // expected-error@+2 {{must count from 0 by 1 to a known end, and carry only tensors, if its iterations run in parallel}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%to = %mine, %so = %zero) -> (tensor<1x8xf32>, f32) {
      %n = tensor.insert %so into %to[%c0, %k] : tensor<1x8xf32>
      scf.yield %n, %so : tensor<1x8xf32>, f32
    } {plan.parallel}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#0 into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  plan.yield %0 : tensor<4x8xf32>
}

// -----

// All threads of a point would write this.

plan.kernel @writes_around serial (%x: tensor<4xf32>) into (%y: tensor<4x8xf32>) cut 0 : 4 by 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %mine = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%to = %mine) -> (tensor<1x8xf32>) {
      %n = tensor.insert %zero into %to[%c0, %k] : tensor<1x8xf32>
      scf.yield %n : tensor<1x8xf32>
    } {plan.parallel}
    // expected-error@+2 {{must be in a loop whose iterations run in parallel, as others in the program are}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %w = tensor.insert %zero into %r[%c0, %c0] : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  plan.yield %0 : tensor<4x8xf32>
}
