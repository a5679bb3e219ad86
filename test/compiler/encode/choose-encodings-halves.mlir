// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64 cpu=cortex-a76" --split-input-file | FileCheck %s
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64 cpu=cortex-a76,cortex-a72" --split-input-file | FileCheck %s --check-prefix=BOTH
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64 cpu=cortex-a72" --split-input-file | FileCheck %s --check-prefix=SINGLES

// If a kernel may add up halves in fp16, a panel has whole registers of eight halves, also for a library with another CPU.
// A CPU without the instruction chooses panels for registers of four floats.

// CHECK:   plan.weight @w = dense<1.000000e+00> {{.*}}#plan.encoding<panel, width = 24>
// BOTH:    plan.weight @w = dense<1.000000e+00> {{.*}}#plan.encoding<panel, width = 24>
// SINGLES: plan.weight @w = dense<1.000000e+00> {{.*}}#plan.encoding<panel, width = 20>
plan.weight @w = dense<1.0> : tensor<512x20xf16>
plan.kernel @product contraction (%a: tensor<512x512xf16>, %b: tensor<512x20xf16>) into (%c: tensor<512x20xf32>) cut 0 : 512 by 1 attributes {plan.half_sums = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x20xf32>) -> tensor<512x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf16>, tensor<512x20xf16>) outs(%init : tensor<512x20xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x20xf32>
  plan.yield %r : tensor<512x20xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<512x512xf16>
  %c = plan.storage output "c" 0 : memref<512x20xf32>
  %w = plan.use @w : memref<512x20xf16>
  plan.launch @product(%a, %w) into(%c) : (memref<512x512xf16>, memref<512x20xf16>) into (memref<512x20xf32>)
}
