// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/HalfTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nacre {

/// Returns the option that stores halves for CPUs, or an empty text.
static StringRef optionOfHalves(const CompilerOptions &options) {
  if (options.cpuPrecision == FloatStorage::F16)
    return "--cpu-precision=fp16";
  if (options.weightType == FloatStorage::F16)
    return "--weight-type=fp16";
  return options.gpuPrecision == GpuPrecision::F16 ? "--gpu-precision=fp16" : "";
}

Error checkHalves(const CompilerOptions &options) {
  const StringRef option = optionOfHalves(options);
  if (option.empty())
    return Error::success();
  for (StringRef cpu : split(options.cpus, ',')) { // one empty name stands for the target's default
    Expected<SmallVector<codegen::Target, 1>> targets = codegen::parseTargets(options.target, cpu.trim());
    if (!targets)
      return targets.takeError();
    for (const codegen::Target &target : *targets)
      if (!target.vectors.convertsHalves)
        return createStringError(option + " needs CPUs that convert fp16 in one instruction (F16C), but '" +
                                 (cpu.empty() ? StringRef(target.cpu) : cpu.trim()) + "' of target " + target.name +
                                 " does not; name CPUs with AVX2, as in --cpu=x86-64-v3, or " +
                                 (option.starts_with("--weight") ? "use bf16" : "omit the option for this target"));
  }
  return Error::success();
}

std::string whyHalvesAreSlow(const CompilerOptions &options, ArrayRef<codegen::Target> targets) {
  const FloatStorage precision = options.cpuPrecision;
  if (any_of(targets, [&](const codegen::Target &target) { return multiplies(target, precision); }))
    return "";
  const std::string word = floatStorageWord(precision).str();
  const bool isBfloat = precision == FloatStorage::BF16, arm64 = targets.front().arm64;
  const std::string slow = "--cpu-precision=" + word + " takes longer than fp32 here, because ";
  if (!arm64 && !isBfloat)
    return slow + "x86-64 CPUs only store fp16; omit the option, except to see its numbers";
  const char *cpus = !arm64 ? "x86-64-v3,znver4" : isBfloat ? "generic,cortex-a710" : "generic,cortex-a76";
  return slow + "no CPU of this library multiplies " + word +
         " faster than fp32; add one that does, as in --cpu=" + cpus + ", or omit the option";
}

} // namespace nacre
