// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/Presets.h"
#include "tools/Help.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace nacre::tools {

// In-order cores need a separate variant. All other cores up to Cortex-A78 run the baseline's code well
// (docs/compiling.md has the figures).
#define ARM64_CPUS "generic,cortex-a53"

// The phone whose GPU is weakest relative to its CPU. Work that is faster on this GPU is also faster on the GPUs of
// other phones.
static constexpr PresetOption kPhone[] = {{"target", "android-arm64"},
                                          {"cpu", ARM64_CPUS},
                                          {"place", "auto"},
                                          {"device", "exynos-2100"},
                                          {"weight-type", "fp16"}};
static constexpr PresetOption kBoard[] = {{"target", "linux-arm64"}, {"cpu", ARM64_CPUS}, {"weight-type", "fp16"}};
static constexpr PresetOption kDesktop[] = {{"target", "linux-x86_64"}, {"cpu", "x86-64-v4,x86-64-v3"}};

static constexpr Preset kPresets[] = {
    {"phone", "an app for any phone with Android on Arm: little cores, big cores and, where it helps, the GPU", kPhone},
    {"board", "Linux on Arm: little cores or big ones", kBoard},
    {"desktop", "Linux on x86-64 of the last ten years: AVX2 or AVX-512", kDesktop},
};

ArrayRef<Preset> presets() { return kPresets; }

const Preset *findPreset(StringRef word) {
  const Preset *preset = find_if(kPresets, [&](const Preset &known) { return known.word == word; });
  return preset == std::end(kPresets) ? nullptr : preset;
}

StringRef Preset::valueOf(StringRef option) const {
  const PresetOption *found = find_if(options, [&](const PresetOption &own) { return own.name == option; });
  return found == options.end() ? StringRef() : StringRef(found->value);
}

void listPresets(raw_ostream &os) {
  for (const Preset &preset : kPresets) {
    std::string text = (Twine(preset.what) + ":").str();
    for (const PresetOption &option : preset.options)
      text += " " + option.typed();
    printEntry(os, preset.word, text, 12);
  }
}

} // namespace nacre::tools
