// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/diff/Advice.h"

namespace nacre::diff {

std::vector<std::string> advise(const Difference &difference, const Computation &computation) {
  constexpr double greatestHalf = 65504;
  /// Largest difference that rounding to f16 and adding in another order cause in a correct network.
  constexpr double mostOfRounding = 0.02;
  std::vector<std::string> lines;
  const bool isNoNumber = difference.nans + difference.infinities > 0;
  if (isNoNumber && difference.scale > greatestHalf)
    lines.emplace_back("numbers here are larger than 65504, the largest of fp16: compile with --gpu-precision=fp32 and "
                       "--cpu-precision=fp32, or scale the result of this node, if the model itself is fp16");
  if (!isNoNumber && difference.ofLargest <= mostOfRounding)
    lines.emplace_back(
        "rounding explains an error this small: compile with --accuracy=strict, without --weight-type, "
        "--gpu-precision=fp16 and --cpu-precision=fp16, or pass a larger --bound if the error is harmless");
  const bool isLarge = isNoNumber || difference.ofLargest > mostOfRounding;
  if (isLarge && computation.storesHalves)
    lines.emplace_back(
        "the library stores values as fp16, which has 3 digits and no numbers above 65504 or below 6e-8: "
        "compile without --gpu-precision=fp16, --cpu-precision=fp16 and --weight-type=fp16, and compare again");
  if (computation.usedGpu)
    lines.emplace_back(
        "the GPU computes a part of this: compile with --place=cpu and compare again; if the CPU is right, "
        "nacre-run --gpu-self-test names the kernels that this GPU computes wrongly");
  if (isLarge && !computation.storesHalves)
    lines.emplace_back(
        "rounding does not explain an error this large: was the library compiled from this model, with these "
        "--shape and --set?");
  lines.emplace_back("to compile only this node: nacre-compile --input=<its inputs> --output=<its output>");
  return lines;
}

} // namespace nacre::diff
