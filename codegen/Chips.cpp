// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources of the table:
// - Cores and model numbers: Wikipedia's lists of Qualcomm Snapdragon and MediaTek systems on chips, and its articles
//   on Exynos, Google Tensor, HiSilicon and UNISOC. Kryo cores have the names of the Arm cores that they derive from.
// - Features of a core: LLVM (AArch64Processors.td), after Arm's technical reference manuals of the Cortex cores.
//   kMissingFeatures has its omissions.
// - `lacks`: github.com/pytorch/cpuinfo, src/arm/linux/aarch64-isa.c. A Cortex-A75 has the dot product from revision
//   r2, a Cortex-A55 from r1; Kryo 360 and 385 lack it. Vendors do not publish revisions. So the table assumes no dot
//   product for chips with a Cortex-A75, and for chips of 2018 with only Cortex-A55.
//
// LLVM has no name for the TaiShan cores of the Kirin 9000S and later, so these chips are absent. The Snapdragon 8
// Elite has Oryon cores of the second generation. LLVM only knows the first generation, which has the same features.

#include "codegen/Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/AArch64TargetParser.h"

using namespace llvm;

namespace nacre::codegen {

static constexpr Chip kChips[] = {
    {"Qualcomm", "snapdragon-8-elite", "sm8750", "8 oryon-1", ""},
    {"Qualcomm", "snapdragon-8-gen-3", "sm8650", "1 cortex-x4, 5 cortex-a720, 2 cortex-a520", ""},
    {"Qualcomm", "snapdragon-8s-gen-3", "sm8635", "1 cortex-x4, 4 cortex-a720, 3 cortex-a520", ""},
    {"Qualcomm", "snapdragon-8-gen-2", "sm8550", "1 cortex-x3, 2 cortex-a715, 2 cortex-a710, 3 cortex-a510", ""},
    {"Qualcomm", "snapdragon-8-gen-1", "sm8450,sm8475", "1 cortex-x2, 3 cortex-a710, 4 cortex-a510", ""},
    {"Qualcomm", "snapdragon-888", "sm8350", "1 cortex-x1, 3 cortex-a78, 4 cortex-a55", ""},
    {"Qualcomm", "snapdragon-865", "sm8250,snapdragon-870", "4 cortex-a77, 4 cortex-a55", ""},
    {"Qualcomm", "snapdragon-855", "sm8150,snapdragon-860", "4 cortex-a76, 4 cortex-a55", ""},
    {"Qualcomm", "snapdragon-845", "sdm845", "4 cortex-a75, 4 cortex-a55", "dotprod"},
    {"Qualcomm", "snapdragon-835", "msm8998", "4 cortex-a73, 4 cortex-a53", ""},
    {"Qualcomm", "snapdragon-7-plus-gen-2", "sm7475", "1 cortex-x2, 3 cortex-a710, 4 cortex-a510", ""},
    {"Qualcomm", "snapdragon-7-gen-1", "sm7450", "4 cortex-a710, 4 cortex-a510", ""},
    {"Qualcomm", "snapdragon-778g", "sm7325,snapdragon-782g", "4 cortex-a78, 4 cortex-a55", ""},
    {"Qualcomm", "snapdragon-765g", "sm7250,snapdragon-765", "2 cortex-a76, 6 cortex-a55", ""},
    {"Qualcomm", "snapdragon-730", "sm7150,snapdragon-732g", "2 cortex-a76, 6 cortex-a55", ""},
    {"Qualcomm", "snapdragon-710", "sdm710,sdm670", "2 cortex-a75, 6 cortex-a55", "dotprod"},
    {"Qualcomm", "snapdragon-6-gen-1", "sm6450", "4 cortex-a78, 4 cortex-a55", ""},
    {"Qualcomm", "snapdragon-695", "sm6375", "2 cortex-a78, 6 cortex-a55", ""},
    {"Qualcomm", "snapdragon-680", "sm6225,snapdragon-685", "4 cortex-a73, 4 cortex-a53", ""},
    {"Qualcomm", "snapdragon-660", "sdm660,sdm636", "4 cortex-a73, 4 cortex-a53", ""},
    {"Qualcomm", "snapdragon-4-gen-2", "sm4450", "2 cortex-a78, 6 cortex-a55", ""},
    {"Samsung", "exynos-2400", "s5e9945", "1 cortex-x4, 5 cortex-a720, 4 cortex-a520", ""},
    {"Samsung", "exynos-2200", "s5e9925", "1 cortex-x2, 3 cortex-a710, 4 cortex-a510", ""},
    {"Samsung", "exynos-2100", "s5e9840", "1 cortex-x1, 3 cortex-a78, 4 cortex-a55", ""},
    {"Samsung", "exynos-1480", "s5e8845", "4 cortex-a78, 4 cortex-a55", ""},
    {"Samsung", "exynos-1380", "s5e8835", "4 cortex-a78, 4 cortex-a55", ""},
    {"Samsung", "exynos-1280", "s5e8825", "2 cortex-a78, 6 cortex-a55", ""},
    {"Samsung", "exynos-990", "s5e9830", "2 exynos-m5, 2 cortex-a76, 4 cortex-a55", ""},
    {"Samsung", "exynos-9820", "s5e9820", "2 exynos-m4, 2 cortex-a75, 4 cortex-a55", "dotprod"},
    {"Samsung", "exynos-9810", "s5e9810", "4 exynos-m3, 4 cortex-a55", ""},
    {"Samsung", "exynos-9611", "s5e9611", "4 cortex-a73, 4 cortex-a53", ""},
    {"Google", "tensor-g4", "zumapro", "1 cortex-x4, 3 cortex-a720, 4 cortex-a520", ""},
    {"Google", "tensor-g3", "zuma", "1 cortex-x3, 4 cortex-a715, 4 cortex-a510", ""},
    {"Google", "tensor-g2", "gs201", "2 cortex-x1, 2 cortex-a78, 4 cortex-a55", ""},
    {"Google", "tensor", "gs101,tensor-g1", "2 cortex-x1, 2 cortex-a76, 4 cortex-a55", ""},
    {"MediaTek", "dimensity-9400", "mt6991", "1 cortex-x925, 3 cortex-x4, 4 cortex-a720", ""},
    {"MediaTek", "dimensity-9300", "mt6989", "4 cortex-x4, 4 cortex-a720", ""},
    {"MediaTek", "dimensity-9200", "mt6985", "1 cortex-x3, 3 cortex-a715, 4 cortex-a510", ""},
    {"MediaTek", "dimensity-9000", "mt6983", "1 cortex-x2, 3 cortex-a710, 4 cortex-a510", ""},
    {"MediaTek", "dimensity-8300", "mt6897", "4 cortex-a715, 4 cortex-a510", ""},
    {"MediaTek", "dimensity-8100", "mt6895,dimensity-8200", "4 cortex-a78, 4 cortex-a55", ""},
    {"MediaTek", "dimensity-7200", "mt6886", "2 cortex-a715, 6 cortex-a510", ""},
    {"MediaTek", "dimensity-1200", "mt6893", "4 cortex-a78, 4 cortex-a55", ""},
    {"MediaTek", "dimensity-1080", "mt6877,dimensity-7050,dimensity-900", "2 cortex-a78, 6 cortex-a55", ""},
    {"MediaTek", "dimensity-700", "mt6833,dimensity-6020,dimensity-6100-plus", "2 cortex-a76, 6 cortex-a55", ""},
    {"MediaTek", "helio-g99", "mt6789", "2 cortex-a76, 6 cortex-a55", ""},
    {"MediaTek", "helio-g95", "mt6785,helio-g90t", "2 cortex-a76, 6 cortex-a55", ""},
    {"MediaTek", "helio-g85", "mt6769,helio-g80,helio-g88", "2 cortex-a75, 6 cortex-a55", "dotprod"},
    {"MediaTek", "helio-p60", "mt6771,helio-p70", "4 cortex-a73, 4 cortex-a53", ""},
    {"MediaTek", "helio-g35", "mt6765,helio-p35", "8 cortex-a53", ""},
    {"HiSilicon", "kirin-9000", "", "4 cortex-a77, 4 cortex-a55", ""},
    {"HiSilicon", "kirin-990", "hi3690", "4 cortex-a76, 4 cortex-a55", ""},
    {"HiSilicon", "kirin-980", "hi3680", "4 cortex-a76, 4 cortex-a55", ""},
    {"HiSilicon", "kirin-970", "hi3670", "4 cortex-a73, 4 cortex-a53", ""},
    {"HiSilicon", "kirin-710", "hi6260", "4 cortex-a73, 4 cortex-a53", ""},
    {"Unisoc", "unisoc-t820", "", "4 cortex-a76, 4 cortex-a55", ""},
    {"Unisoc", "unisoc-t616", "unisoc-t610,unisoc-t612,unisoc-t618", "2 cortex-a75, 6 cortex-a55", "dotprod"},
    {"Unisoc", "unisoc-t606", "", "2 cortex-a75, 6 cortex-a55", "dotprod"},
    {"Unisoc", "unisoc-sc9863a", "sc9863a", "8 cortex-a55", "dotprod"},
};

ArrayRef<Chip> chips() { return kChips; }

SmallVector<ChipCluster> Chip::clusters() const {
  SmallVector<ChipCluster> clusters;
  for (StringRef text : split(cores, ", ")) {
    ChipCluster &cluster = clusters.emplace_back();
    text.consumeInteger(10, cluster.cores);
    cluster.core = text.ltrim();
  }
  return clusters;
}

const Chip *findChip(StringRef name) {
  const Chip *chip = find_if(kChips, [&](const Chip &known) {
    return known.name.equals_insensitive(name) ||
           (!name.empty() && any_of(split(known.models, ','), [&](StringRef m) { return m.equals_insensitive(name); }));
  });
  return chip == std::end(kChips) ? nullptr : chip;
}

std::vector<std::string> chipNames() {
  std::vector<std::string> names;
  for (const Chip &chip : kChips) {
    names.push_back(chip.name.str());
    if (!chip.models.empty())
      for (StringRef model : split(chip.models, ','))
        names.push_back(model.str());
  }
  return names;
}

/// A feature of a core that LLVM's list of the core's extensions lacks.
struct MissingFeature {
  StringLiteral core, feature;
};

// Oryon has FEAT_FP16: GCC lists it (aarch64-cores.def: oryon-1 is V8_6A with F16), and LLVM's own code generator emits
// such instructions for -mcpu=oryon-1. Only LLVM's list for -march lacks it.
static constexpr MissingFeature kMissingFeatures[] = {{"oryon-1", "fullfp16"}};

std::vector<std::string> featuresOfCore(StringRef core) {
  std::optional<AArch64::CpuInfo> info = AArch64::parseCpu(core);
  std::vector<StringRef> known;
  if (!info || !AArch64::getExtensionFeatures(info->getImpliedExtensions(), known))
    return {};
  std::vector<std::string> names;
  for (StringRef name : known)
    if (name.consume_front("+"))
      names.push_back(name.str());
  for (const MissingFeature &missing : kMissingFeatures)
    if (missing.core == core && !is_contained(names, missing.feature))
      names.push_back(missing.feature.str());
  return names;
}

std::vector<std::string> featuresOf(const Chip &chip) {
  std::vector<std::string> common;
  for (const auto &[index, cluster] : enumerate(chip.clusters())) {
    std::vector<std::string> own;
    for (std::string &name : featuresOfCore(cluster.core))
      if (name != chip.lacks && (index == 0 || is_contained(common, name)))
        own.push_back(std::move(name));
    common = std::move(own);
  }
  return common;
}

} // namespace nacre::codegen
