// RUN: nacre-opt %s --nacre-place-kernels --verify-diagnostics

plan.entry @main {
  %x = plan.storage input "x" 0 : memref<4xf32>
  // expected-error@+1 {{must name a kernel, but names @missing}}
  plan.launch @missing(%x) into(%x) : (memref<4xf32>) into (memref<4xf32>)
}
