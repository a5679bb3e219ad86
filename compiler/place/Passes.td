// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the place phase, in the order they run. docs/phases/place.md
//
// Reads:  plan entries on storages.
// Writes: the same with ranges of the cut axis on every launch.

#ifndef NACRE_COMPILER_PLACE_PASSES
#define NACRE_COMPILER_PLACE_PASSES

include "mlir/Pass/PassBase.td"

def PlaceKernelsPass : Pass<"nacre-place-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every launch the ranges of its cut axis that the CPU and the GPU compute";
  let description = [{
    The GPU gets the first `gpu-percent` of each cut axis, rounded down to the kernel's grain, the CPU what is left.

    Requires: every launch names a kernel.

    Ensures: every launch has `cpu` and `gpu`, which together cover the kernel's cut axis.

    Example. With a kernel cut along an axis of 56 rows,

    ```mlir
    plan.launch @conv(%x) into(%y) : (memref<1x58x58x8xf32>) into (memref<1x56x56x8xf32>)
    ```

    becomes

    ```mlir
    plan.launch @conv(%x) into(%y) {cpu = array<i64: 0, 56>, gpu = array<i64: 0, 0>}
        : (memref<1x58x58x8xf32>) into (memref<1x56x56x8xf32>)
    ```
  }];
  let options = [Option<"gpuPercent", "gpu-percent", "unsigned", "0", "How much of each cut axis the GPU computes">];
}

#endif // NACRE_COMPILER_PLACE_PASSES
