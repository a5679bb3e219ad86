// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64" --split-input-file --verify-diagnostics

#all = affine_map<(d0, d1) -> (d0, d1)>
// expected-error@+2 {{must have its cut extent 20 as grain, but has 1: it cannot be computed index by index of axis 0}}
// expected-error@+1 {{must have a form that a CPU emitter accepts}}
plan.kernel @sums scan (%x: tensor<20x15xf32>) into (%y: tensor<20x15xf32>) cut 0 : 20 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<20x15xf32>) -> tensor<20x15xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<20x15xf32>) outs(%f : tensor<20x15xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %o : f32
    linalg.yield %v : f32
  } -> tensor<20x15xf32>
  plan.yield %r : tensor<20x15xf32>
}

// -----

// Plain loops cannot read a packed weight.

// expected-error@+1 {{must have a form that a CPU emitter accepts}}
plan.kernel @packed scan (%x: tensor<16xf32>) into (%y: tensor<16xf32>) cut 0 : 16 by 1
    attributes {encodings = [#plan.encoding<panel, width = 16>]} {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%y : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<16xf32>
  plan.yield %r : tensor<16xf32>
}
