// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 cpu=znver4" | FileCheck %s --check-prefix=X86
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-x86_64 cpu=x86-64-v3,cooperlake" | FileCheck %s --check-prefix=X86
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64 cpu=generic,cortex-a710" | FileCheck %s --check-prefix=ARM64
// RUN: nacre-opt %s --nacre-choose-encodings="target=linux-arm64 cpu=cortex-a76" | FileCheck %s --check-prefix=SINGLES

// If both operands are bf16 and a CPU of the library multiplies bf16, panels have words: two steps for x86, four for arm64. Steps of another operand's
// type are multiplied one by one, and so are steps that a GPU may multiply.

// X86:     plan.weight @words = {{.*}}#plan.encoding<panel, width = {{[0-9]+}} k = 2, run = 512>
// X86:     plan.weight @mixed = {{.*}}#plan.encoding<panel, width = {{[0-9]+}}>
// X86:     plan.weight @shared = {{.*}}#plan.encoding<panel, width = {{[0-9]+}}>
// ARM64:   plan.weight @words = {{.*}}#plan.encoding<panel, width = {{[0-9]+}} k = 4, run = 512>
// ARM64:   plan.weight @mixed = {{.*}}#plan.encoding<panel, width = {{[0-9]+}}>
// ARM64:   plan.weight @shared = {{.*}}#plan.encoding<panel, width = {{[0-9]+}}>
// SINGLES: plan.weight @words = {{.*}}#plan.encoding<panel, width = {{[0-9]+}}>
plan.weight @words = dense<1.0> : tensor<512x64xbf16>
plan.weight @mixed = dense<1.0> : tensor<512x64xbf16>
plan.weight @shared = dense<1.0> : tensor<512x64xbf16>
plan.kernel @product contraction (%a: tensor<512x512xbf16>, %b: tensor<512x64xbf16>) into (%c: tensor<512x64xf32>) cut 0 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x64xf32>) -> tensor<512x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xbf16>, tensor<512x64xbf16>) outs(%init : tensor<512x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %m = arith.mulf %u, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x64xf32>
  plan.yield %r : tensor<512x64xf32>
}
plan.kernel @of_floats contraction (%a: tensor<512x512xf32>, %b: tensor<512x64xbf16>) into (%c: tensor<512x64xf32>) cut 0 : 512 by 1 {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<512x64xf32>) -> tensor<512x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x512xf32>, tensor<512x64xbf16>) outs(%init : tensor<512x64xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %v = arith.extf %y : bf16 to f32
    %m = arith.mulf %x, %v : f32
    %s = arith.addf %z, %m : f32
    linalg.yield %s : f32
  } -> tensor<512x64xf32>
  plan.yield %r : tensor<512x64xf32>
}
plan.entry @main {
  %a = plan.storage input "a" 0 : memref<512x512xbf16>
  %f = plan.storage input "f" 1 : memref<512x512xf32>
  %c = plan.storage output "c" 0 : memref<512x64xf32>
  %d = plan.storage output "d" 1 : memref<512x64xf32>
  %w = plan.use @words : memref<512x64xbf16>
  %e = plan.storage output "e" 2 : memref<512x64xf32>
  %s = plan.use @shared : memref<512x64xbf16>
  %v = plan.use @mixed : memref<512x64xbf16>
  plan.launch @product(%a, %w) into(%c) {plan.engine = "cpu"} : (memref<512x512xbf16>, memref<512x64xbf16>) into (memref<512x64xf32>)
  plan.launch @of_floats(%f, %v) into(%d) {plan.engine = "cpu"} : (memref<512x512xf32>, memref<512x64xbf16>) into (memref<512x64xf32>)
  plan.launch @product(%a, %s) into(%e) : (memref<512x512xbf16>, memref<512x64xbf16>) into (memref<512x64xf32>)
}
