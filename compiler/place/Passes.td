// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the place phase, in the order they run. docs/phases/place.md
//
// Reads:  plan entries on storages, kernels with the encodings that they read.
// Writes: the same with ranges of the cut axis on every launch, and with the encodings that these leave.

#ifndef NACRE_COMPILER_PLACE_PASSES
#define NACRE_COMPILER_PLACE_PASSES

include "dialects/plan/PassOptions.td"

def PlaceKernelsPass : Pass<"nacre-place-kernels", "::mlir::ModuleOp"> {
  let summary = "Give every launch the ranges of its cut axis that the CPU and the GPU compute";
  let description = [{
    Every kernel names an axis along which engines can share its work. This is where that is decided, because everything
    after works with shares: codegen compiles for the engines that have some, the runtime starts both.

    With `engines=auto` the run as predicted for `device` is made short (docs/phases/place.md): a launch goes to the GPU, or
    is cut, only where that pays for the engines' meeting. With `split` the GPU gets the first `percent` of each cut axis,
    rounded down to the kernel's grain, the CPU what is left.

    A kernel with `plan.gpu_declined` has no code for GPUs, and is the CPU's whatever is asked for.

    Requires: every launch names a kernel.

    Ensures: every launch has `cpu` and `gpu`, which together cover the kernel's cut axis; `gpu` is empty where the kernel is
    declined, and where a run decides how often the launch is executed. With a device, launches and entries have `plan.predicted_ns`, of the GPU where it has code.

    Example: test/compiler/place/place-kernels.mlir; without another wish the CPU gets all of a cut axis, inside loops
    too.
  }];
  let options = [
    WordOption<"engines", "engines", "::nacre::Placement::Engines", "Cpu", "Engines that compute: cpu, gpu, split (see percent) or auto (requires a device)",
               [["Cpu", "cpu"], ["Gpu", "gpu"], ["Split", "split"], ["Auto", "auto"]]>,
    Option<"percent", "percent", "unsigned", "0", "With engines=split, how much of each cut axis the GPU computes">,
    Option<"device", "device", "std::string", "\"\"", "The profile to predict times for: a shipped one's name, or a .json file">,
    GpuPrecisionOption<"gpu-precision", "Precision of products on the GPU in predictions: fp32 or fp16">,
  ];
  let statistics = [
    Statistic<"numOnGpu", "num-on-gpu", "Number of launches that only the GPU computes">,
    Statistic<"numCut", "num-cut", "Number of launches that both engines share">,
  ];
}

#endif // NACRE_COMPILER_PLACE_PASSES
