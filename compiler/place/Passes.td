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
    Every kernel names an axis along which engines can share its work. This is where that is decided, because everything
    after works with shares: codegen compiles for the engines that have some, the runtime starts both.

    With `engines=auto` the run as predicted for `device` is made short (docs/phases/place.md): a launch goes to the GPU, or
    is cut, only where that pays for the engines' meeting. With `split` the GPU gets the first `percent` of each cut axis,
    rounded down to the kernel's grain, the CPU what is left.

    Requires: every launch names a kernel.

    Ensures: every launch has `cpu` and `gpu`, which together cover the kernel's cut axis. With a device, launches and
    entries have `plan.predicted_ns`.

    Example: test/compiler/place/place-kernels.mlir; without another wish the CPU gets all of a cut axis, inside loops
    too.
  }];
  let options = [
    Option<"engines", "engines", "std::string", "\"cpu\"", "Who computes: cpu, gpu, split (see percent) or auto (needs a device)">,
    Option<"percent", "percent", "unsigned", "0", "With engines=split, how much of each cut axis the GPU computes">,
    Option<"device", "device", "std::string", "\"\"", "The profile to predict times for: a shipped one's name, or a .json file">,
    Option<"precision", "gpu-precision", "std::string", "\"fp32\"", "What products on the GPU are predicted with: fp32 or fp16">,
    Option<"winogradBytes", "winograd-bytes", "int64_t", "0",
           "By which weights may grow where codegen transforms 3x3 convolutions that are the CPU's alone, which are predicted to be "
           "faster then">,
  ];
  let statistics = [
    Statistic<"numOnGpu", "num-on-gpu", "Number of launches that the GPU computes alone">,
    Statistic<"numCut", "num-cut", "Number of launches that both engines share">,
  ];
}

#endif // NACRE_COMPILER_PLACE_PASSES
