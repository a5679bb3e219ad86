// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of --target= and --cpu=.

#include "codegen/Target.h"
#include "codegen/Chips.h"
#include "codegen/TargetNames.h"

#include "runtime/include/nacre/model_format.h"
#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::codegen;

namespace {

llvm::SmallVector<Target, 1> parse(llvm::StringRef name, llvm::StringRef cpus) {
  auto targets = parseTargets(name, cpus);
  EXPECT_TRUE(bool(targets));
  return targets ? *targets : llvm::SmallVector<Target, 1>();
}

std::string errorOf(const char *name, const char *cpus) {
  auto targets = parseTargets(name, cpus);
  return targets ? "" : llvm::toString(targets.takeError());
}

} // namespace

TEST(Target, SaysThat32BitArmIsNotSupported) {
  for (const char *name : {"android-arm", "armeabi-v7a", "linux-armv7", "arm"})
    EXPECT_NE(errorOf(name, "").find("; 32-bit ARM is not supported"), std::string::npos) << name;
  EXPECT_EQ(errorOf("android-arm65", "").find("32-bit"), std::string::npos);
}

TEST(Target, TheBaselineOfX86HasFma) {
  Target target = parse("linux-x86_64", "").front();
  EXPECT_EQ(target.cpu, "x86-64-v3");
  EXPECT_EQ(target.lanes(), 8u);
  EXPECT_EQ(target.vectors.registers, 16u);
  EXPECT_EQ(target.needs, NACRE_CPU_NEED(NACRE_X86_64_V2) | NACRE_CPU_NEED(NACRE_X86_64_V3));
}

TEST(Target, TheBaselineOfArmIsTunedForBigCores) {
  for (const char *name : {"linux-arm64", "android-arm64"}) {
    Target target = parse(name, "").front();
    EXPECT_TRUE(target.arm64);
    EXPECT_EQ(target.cpu, "generic");
    EXPECT_EQ(target.tuneCpu, "neoverse-n1");
    EXPECT_EQ(target.needs, NACRE_CPU_NEED(NACRE_ARM64_NEON));
  }
}

TEST(Target, LittleCoresIssueInOrder) {
  for (const char *cpu : {"cortex-a53", "cortex-a55", "cortex-a510"}) {
    Target target = parse("android-arm64", cpu).front();
    EXPECT_TRUE(target.inOrder) << cpu;
    EXPECT_EQ(target.model.l1Bytes, 32u * 1024) << cpu;
  }
  EXPECT_EQ(parse("android-arm64", "cortex-a53").front().tuneCpu, "cortex-a55") << "LLVM's A53 waits for multiply-adds";
  EXPECT_FALSE(parse("android-arm64", "cortex-a76").front().inOrder);
  EXPECT_FALSE(parse("android-arm64", "").front().inOrder);
  EXPECT_FALSE(parse("linux-x86_64", "").front().inOrder);
}

TEST(Target, HasTheModelOfItsCores) {
  auto modelOf = [](const char *system, const char *cpu) { return std::string(parse(system, cpu).front().model.name); };
  EXPECT_EQ(modelOf("android-arm64", ""), kBigArm64.name);
  EXPECT_EQ(modelOf("linux-arm64", "cortex-a76"), kBigArm64.name);
  EXPECT_EQ(modelOf("linux-arm64", "cortex-a53"), kLittleArm64.name);
  EXPECT_EQ(modelOf("linux-x86_64", "x86-64-v2"), kX86V2.name);
  EXPECT_EQ(modelOf("linux-x86_64", "haswell"), kX86V3.name);
  EXPECT_EQ(modelOf("linux-x86_64", "znver5"), kX86V4.name);
}

TEST(Target, ACpuIsTheBaselineAndTheFeaturesThatAreChecked) {
  Target a76 = parse("linux-arm64", "cortex-a76").front();
  EXPECT_EQ(a76.cpu, "generic");
  EXPECT_EQ(a76.tuneCpu, "neoverse-n1");
  EXPECT_TRUE(a76.needs & NACRE_CPU_NEED(NACRE_ARM64_DOTPROD));
  EXPECT_FALSE(a76.needs & NACRE_CPU_NEED(NACRE_ARM64_I8MM));
  EXPECT_EQ(parse("linux-x86_64", "znver5").front().lanes(), 16u);
  // Implied features count: this name lists AVX-512 BW and others, which need F.
  EXPECT_EQ(parse("linux-x86_64", "x86-64-v4").front().lanes(), 16u);
}

TEST(Target, OnlyAPhoneSurelyHasAGpuOfItsOwn) {
  EXPECT_TRUE(parse("linux-x86_64", "").front().mayPlayGpu);
  EXPECT_TRUE(parse("linux-arm64", "").front().mayPlayGpu);
  EXPECT_FALSE(parse("android-arm64", "").front().mayPlayGpu);
}

TEST(Target, OldX86CpusGetNoMoreThanSse) {
  for (const char *cpu : {"x86-64-v2", "nehalem", "sandybridge"}) {
    Target target = parse("linux-x86_64", cpu).front();
    EXPECT_FALSE(target.vectors.hasMultiplyAdd) << cpu;
    EXPECT_EQ(target.cpu, "x86-64-v2");
    EXPECT_EQ(target.lanes(), 4u);
    EXPECT_EQ(target.vectors.registers, 16u);
    EXPECT_EQ(target.needs, NACRE_CPU_NEED(NACRE_X86_64_V2)) << cpu;
  }
}

TEST(Target, SeveralCpusAreOrderedByWhatTheyDemand) {
  auto targets = parse("linux-x86_64", "haswell, znver5,skylake-avx512");
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_EQ(targets[0].tuneCpu, "znver5");
  EXPECT_EQ(targets[1].tuneCpu, "skylake-avx512");
  EXPECT_EQ(targets[2].tuneCpu, "haswell");
}

TEST(Target, CodeForBigCoresAsksForOneWhereLittleOnesHaveTheirs) {
  constexpr uint64_t neon = NACRE_CPU_NEED(NACRE_ARM64_NEON), big = NACRE_CPU_NEED(NACRE_ARM64_OUT_OF_ORDER);
  for (const char *cpus : {"generic,cortex-a53", "cortex-a53,generic"}) {
    auto targets = parse("android-arm64", cpus);
    ASSERT_EQ(targets.size(), 2u);
    EXPECT_FALSE(targets[0].inOrder) << "weights are packed for it";
    EXPECT_EQ(targets[0].needs, neon | big);
    EXPECT_EQ(targets[1].needs, neon);
  }
  // A Cortex-A55 alone can stand for the A76, but not for what is older.
  for (const auto &target : parse("android-arm64", "cortex-a55,cortex-a76,cortex-a72"))
    EXPECT_EQ((target.needs & big) != 0, target.needs & NACRE_CPU_NEED(NACRE_ARM64_DOTPROD) && !target.inOrder);
  EXPECT_EQ(errorOf("android-arm64", "cortex-a53,cortex-a35"),
            "cpus must differ in features that the runtime can detect, but 'cortex-a53' and 'cortex-a35' do not; "
            "name one of them");
}

TEST(Target, TheWidestVectorsComeFirst) {
  // Alder Lake needs AVX-VNNI, which the other has not, and as many features; but its registers have half the width.
  for (const char *cpus : {"alderlake,skylake-avx512", "skylake-avx512,alderlake"})
    EXPECT_EQ(parse("linux-x86_64", cpus).front().lanes(), 16u);
}

TEST(Target, AndroidOnX86RunsOnWhatItPromises) {
  auto targets = parse("android-x86_64", "");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].cpu, "x86-64-v3");
  EXPECT_EQ(targets[1].needs, NACRE_CPU_NEED(NACRE_X86_64_V2));
  EXPECT_FALSE(targets[0].mayPlayGpu);
}

TEST(Target, ACpuIsOfAnArchitecture) {
  EXPECT_TRUE(isCpuOf("android-arm64", "cortex-a76"));
  EXPECT_FALSE(isCpuOf("android-x86_64", "cortex-a76"));
  EXPECT_TRUE(isCpuOf("android-x86_64", "znver5"));
  EXPECT_FALSE(isCpuOf("android-x86_64", "native"));
  EXPECT_TRUE(isCpuOf("host", "native"));
  EXPECT_FALSE(isCpuOf("mars", "znver5"));
}

TEST(Target, AChipNeedsOnlyWhatAllOfItsCoresHave) {
  EXPECT_GE(chips().size(), 40u);
  for (const Chip &chip : chips()) {
    const Target target = parse("android-arm64", chip.name).front();
    ASSERT_FALSE(chip.clusters().empty()) << chip.name.str();
    uint64_t common = ~uint64_t(0);
    for (const ChipCluster &cluster : chip.clusters()) {
      EXPECT_GE(cluster.cores, 1u) << chip.name.str();
      const std::string core = cluster.core.str();
      ASSERT_EQ(errorOf("android-arm64", core.c_str()), "") << chip.name.str();
      const Target alone = parse("android-arm64", core.c_str()).front();
      EXPECT_EQ(target.needs & ~alone.needs, 0u) << chip.name.str() << " needs what " << core << " lacks";
      common &= alone.needs;
    }
    // All of it, except for a feature that is said to be missing.
    EXPECT_EQ((common & ~target.needs) != 0, !chip.lacks.empty()) << chip.name.str();
    const std::string big = chip.clusters().front().core.str();
    EXPECT_EQ(target.tuneCpu, parse("android-arm64", big.c_str()).front().tuneCpu) << chip.name.str();
    EXPECT_EQ(target.inOrder, parse("android-arm64", big.c_str()).front().inOrder) << chip.name.str();
  }
}

TEST(Target, OldRevisionsHaveNoDotProduct) {
  for (const Chip &chip : chips())
    for (const ChipCluster &cluster : chip.clusters())
      if (cluster.core == "cortex-a75")
        EXPECT_EQ(chip.lacks.str(), "dotprod") << chip.name.str();
  EXPECT_FALSE(parse("android-arm64", "snapdragon-845").front().needs & NACRE_CPU_NEED(NACRE_ARM64_DOTPROD));
  EXPECT_TRUE(parse("android-arm64", "snapdragon-855").front().needs & NACRE_CPU_NEED(NACRE_ARM64_DOTPROD));
}

TEST(Target, NewCoresMultiplyBfloats) {
  for (const char *cpu : {"cortex-a510", "cortex-a710", "cortex-x2", "snapdragon-8-gen-1", "snapdragon-8-elite"})
    EXPECT_TRUE(multiplies(parse("android-arm64", cpu).front(), FloatStorage::BF16)) << cpu;
  for (const char *cpu : {"generic", "cortex-a76", "snapdragon-855"})
    EXPECT_FALSE(multiplies(parse("android-arm64", cpu).front(), FloatStorage::BF16)) << cpu;
  for (const char *cpu : {"cooperlake", "sapphirerapids", "znver4", "znver5"})
    EXPECT_TRUE(multiplies(parse("linux-x86_64", cpu).front(), FloatStorage::BF16)) << cpu;
  for (const char *cpu : {"x86-64-v4", "icelake-server", "znver3"})
    EXPECT_FALSE(multiplies(parse("linux-x86_64", cpu).front(), FloatStorage::BF16)) << cpu;
}

TEST(Target, CoresOfPhonesSince2019MultiplyHalves) {
  for (const char *cpu : {"cortex-a55", "cortex-a76", "snapdragon-855", "oryon-1", "snapdragon-8-elite"})
    EXPECT_TRUE(multiplies(parse("android-arm64", cpu).front(), FloatStorage::F16)) << cpu;
  for (const char *cpu : {"generic", "cortex-a53", "cortex-a73", "snapdragon-835"})
    EXPECT_FALSE(multiplies(parse("android-arm64", cpu).front(), FloatStorage::F16)) << cpu;
  EXPECT_FALSE(multiplies(parse("linux-x86_64", "sapphirerapids").front(), FloatStorage::F16));
  // LLVM's list of Oryon's features lacks this one.
  const Target oryon = parse("android-arm64", "snapdragon-8-elite").front();
  EXPECT_NE(oryon.features.find("+fullfp16"), std::string::npos) << oryon.features;
  EXPECT_EQ(oryon.tuneCpu, "oryon-1");
}

TEST(Target, AChipHasSeveralNames) {
  ASSERT_NE(findChip("snapdragon-8-gen-2"), nullptr);
  for (const char *name : {"sm8550", "SM8550", "Snapdragon-8-Gen-2"})
    EXPECT_EQ(findChip(name), findChip("snapdragon-8-gen-2")) << name;
  EXPECT_EQ(findChip(""), nullptr);
  EXPECT_EQ(findChip("cortex-a76"), nullptr);
  std::vector<std::string> names = chipNames();
  for (const std::string &name : names)
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  EXPECT_TRUE(isCpuOf("android-arm64", "sm8550"));
  EXPECT_FALSE(isCpuOf("android-x86_64", "sm8550"));
}

TEST(Target, AChipWithLittleCoresOnlyIsLittle) {
  EXPECT_TRUE(parse("android-arm64", "helio-g35").front().inOrder);
  EXPECT_FALSE(parse("android-arm64", "helio-g99").front().inOrder);
}

TEST(Target, NamesAreAccepted) {
  for (const std::string &target : targetNames()) {
    EXPECT_GE(parse(target.c_str(), "").size(), 1u) << target;
    EXPECT_GE(cpuNames(target).size(), 20u) << target;
    for (const std::string &cpu : cpuNames(target))
      EXPECT_TRUE(isCpuOf(target, cpu)) << target << " " << cpu;
  }
  EXPECT_TRUE(cpuNames("mars").empty());
}

TEST(Target, MistakesAreNamed) {
  EXPECT_EQ(errorOf("windows", ""),
            "target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'windows'");
  EXPECT_EQ(errorOf("linux-x86_64", "cortex-a76"), "cpu must be an x86-64 CPU that LLVM knows, but is 'cortex-a76'");
  EXPECT_EQ(errorOf("linux-arm64", "znver5"),
            "cpu must be a phone's chip or an arm64 CPU that LLVM knows, but is 'znver5'");
  EXPECT_EQ(errorOf("linux-x86_64", "core2"), "cpu must have SSE4.2, but 'core2' does not");
  EXPECT_EQ(errorOf("android-arm64", "native"), "cpu must be named for target android-arm64, but is 'native'");
  EXPECT_EQ(errorOf("android-arm64", "cortex-a53,cortex-a76,cortex-a78"),
            "cpus must differ in features that the runtime can detect, but 'cortex-a76' and 'cortex-a78' do not; "
            "name one of them");
}
