// RUN: nacre-opt %s --split-input-file --nacre-verify-kernels --verify-diagnostics

// The example of the pass's documentation: a tensor after the phase.

plan.entry @documented_example {
  // expected-error@+2 {{must be gone, or on storages, after the kernels phase}}
  // expected-note@+1 {{likely a missing case in nacre-assign-storages}}
  %x = plan.storage input "x" 0 : tensor<4xf32>
}

// -----

plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
       ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.entry @operands_of_another_shape {
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<8xf32>
  // expected-error@+2 {{operand 1 must be a storage of 'tensor<4xf32>', but is 'memref<8xf32>'}}
  // expected-note@+1 {{likely a missing case in nacre-assign-storages}}
  plan.launch @k(%x) into(%y) : (memref<4xf32>) into (memref<8xf32>)
}

// -----

plan.entry @launches_of_nothing {
  %x = plan.storage input "x" 0 : memref<4xf32>
  // expected-error@+2 {{must name a kernel, but names @missing}}
  // expected-note@+1 {{likely a missing case in nacre-merge-kernels}}
  plan.launch @missing(%x) into(%x) : (memref<4xf32>) into (memref<4xf32>)
}

// -----

// A contraction that only maps has no product.

// expected-error@+2 {{must have the form of kind contraction, but holds 0 reductions, 1 maps and 0 loops over points}}
// expected-note@+1 {{likely a missing case in nacre-form-kernels}}
plan.kernel @no_product contraction (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
       ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

// Emitters of nests know strides, not indices.

plan.kernel @indexed_nest nest (%x: tensor<4xi64>) into (%y: tensor<4xi64>) cut 0 : 4 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
       ins(%x : tensor<4xi64>) outs(%y : tensor<4xi64>) {
  ^bb0(%in: i64, %out: i64):
    // expected-error@+2 {{must not be in the body of a kernel of kind nest}}
    // expected-note@+1 {{likely a missing case in nacre-form-kernels}}
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<4xi64>
  plan.yield %0 : tensor<4xi64>
}

// -----

// expected-error@+2 {{must be gone after the kernels phase}}
// expected-note@+1 {{likely a missing case in nacre-form-kernels}}
func.func private @left_over()

// -----

// A separable convolution has both halves.

// expected-error@+2 {{must have the form of kind separable, but holds 1 reductions, 0 maps and 0 loops over points}}
// expected-note@+1 {{likely a missing case in nacre-form-kernels}}
plan.kernel @half_of_a_separable_convolution separable (%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) into (%y: tensor<4x4xf32>) cut 0 : 4 by 1 {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
       ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  plan.yield %0 : tensor<4x4xf32>
}
