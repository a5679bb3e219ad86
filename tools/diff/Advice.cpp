// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/diff/Advice.h"

namespace nacre::diff {

std::vector<std::string> advise(const Difference &difference, bool usedGpu) {
  constexpr double greatestHalf = 65504;
  /// What rounding to halves, and adding up in another order, comes to at most in a network that is not broken.
  constexpr double mostOfRounding = 0.02;
  std::vector<std::string> lines;
  const bool isNoNumber = difference.nans + difference.infinities > 0;
  if (isNoNumber && difference.scale > greatestHalf)
    lines.emplace_back(
        "numbers here are larger than 65504, the largest of fp16: compile with --gpu-precision=fp32, or scale "
        "what this node computes, if the model itself is fp16");
  if (!isNoNumber && difference.ofLargest <= mostOfRounding)
    lines.emplace_back(
        "an error this small is one of rounding: compile with --accuracy=strict, and without --weight-type "
        "and --gpu-precision=fp16; or give a larger --bound, if it does no harm");
  if (usedGpu)
    lines.emplace_back("the GPU has a part in this: compile with --place=cpu and compare once more; if that is right, "
                       "nacre-run --gpu-self-test tells which kernels this GPU computes wrongly");
  if (isNoNumber || difference.ofLargest > mostOfRounding)
    lines.emplace_back(
        "an error this large is none of rounding: was the library compiled of this very model, with these "
        "--shape and --set?");
  lines.emplace_back("to take this node alone: nacre-compile with --input=<what it reads> --output=<what it computes>");
  return lines;
}

} // namespace nacre::diff
