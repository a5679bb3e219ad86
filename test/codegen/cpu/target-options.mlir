// RUN: not nacre-opt %s --nacre-choose-encodings="target=mars" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not nacre-opt %s --nacre-emit-cpu="target=mars" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not nacre-opt %s --nacre-emit-cpu="target=linux-arm64 cpu=znver5" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: nacre-opt %s --nacre-emit-cpu="target=linux-x86_64 cpu=x86-64-v3,x86-64-v4" | FileCheck %s --check-prefix=FIRST

// Passes say what is wrong with their options, and compile for the first of several CPUs.

// TARGET: error: target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'mars'
// CPU:    error: cpu must be a phone's chip or an arm64 CPU that LLVM knows, but is 'znver5'
// FIRST:  vector<16xf32>
plan.kernel @double nest (%x: tensor<60x64xf32>) into (%y: tensor<60x64xf32>) cut 0 : 60 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<60x64xf32>) outs(%y : tensor<60x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<60x64xf32>
  plan.yield %r : tensor<60x64xf32>
}
