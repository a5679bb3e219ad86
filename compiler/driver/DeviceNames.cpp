// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/DeviceNames.h"
#include "codegen/Chips.h"
#include "codegen/Target.h"
#include "codegen/TargetNames.h"
#include "compiler/place/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nacre {

SmallVector<std::pair<std::string, std::string>> describeDevices() { return place::describeShippedProfiles(); }

Error checkDevice(StringRef device) { return place::checkDevice(device); }

Error checkTarget(StringRef target, StringRef cpus) { return codegen::parseTargets(target, cpus).takeError(); }

std::vector<std::string> targetNames() { return codegen::targetNames(); }

std::vector<std::string> cpuNames(StringRef target) { return codegen::cpuNames(target); }

bool isCpuOf(StringRef target, StringRef cpu) { return codegen::isCpuOf(target, cpu); }

std::string addCpuThatMultiplies(FloatStorage storage, StringRef target, StringRef cpus) {
  // The first phones with cores that multiply halves and bytes (2019), and with cores that multiply bf16 (2022). Older
  // ones may report arithmetic of halves that only their little cores have, as Exynos 9810 does.
  const StringRef added = storage == FloatStorage::F16 ? "snapdragon-855" : "snapdragon-8-gen-1", baseline = "generic";
  if (storage == FloatStorage::F32 || target == "host" || !isCpuOf(target, added))
    return cpus.str();
  return (cpus.empty() ? StringRef(baseline) : cpus).str() + "," + added.str();
}

/// Returns the features of a target beyond NEON, as they are usually called.
static std::vector<std::string> featuresOf(const codegen::Target &target) {
  std::vector<std::string> names;
  for (StringRef name : split(target.features, ','))
    if (name.consume_front("+") && name != "neon")
      names.push_back(name == "fullfp16" ? "fp16" : name.str());
  return names;
}

std::vector<ChipDescription> describeChips() {
  std::vector<ChipDescription> all;
  for (const codegen::Chip &chip : codegen::chips()) {
    ChipDescription &description = all.emplace_back();
    description.vendor = chip.vendor.str();
    description.name = chip.name.str();
    description.cores = chip.cores.str();
    if (!chip.models.empty())
      for (StringRef model : split(chip.models, ','))
        description.models.push_back(model.str());
    description.features = featuresOf(cantFail(codegen::parseTargets("android-arm64", chip.name)).front());
  }
  return all;
}

std::string chipNamed(StringRef nameOrModel) {
  const codegen::Chip *chip = codegen::findChip(nameOrModel);
  return chip ? chip->name.str() : "";
}

std::string profileOfChip(StringRef cpus) {
  std::string found;
  for (StringRef cpu : split(cpus, ',')) {
    const std::string name = chipNamed(cpu.trim());
    if (none_of(describeDevices(), [&](const auto &device) { return device.first == name; }) || name == found)
      continue;
    if (!found.empty())
      return "";
    found = name;
  }
  return found;
}

} // namespace nacre
