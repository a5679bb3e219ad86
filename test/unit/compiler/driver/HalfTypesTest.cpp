// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/HalfTypes.h"
#include "compiler/driver/DeviceNames.h"
#include "gtest/gtest.h"

using namespace nacre;

static std::string errorOf(const std::string &target, const std::string &cpus,
                           FloatStorage cpuPrecision = FloatStorage::F16) {
  CompilerOptions options;
  options.target = target;
  options.cpus = cpus;
  options.cpuPrecision = cpuPrecision;
  return llvm::toString(checkHalves(options));
}

TEST(HalfTypes, TheErrorNamesTheCpuAndWhatToDo) {
  EXPECT_EQ(errorOf("android-x86_64", ""),
            "--cpu-precision=fp16 needs CPUs that convert fp16 in one instruction (F16C), but 'x86-64-v2' of target "
            "android-x86_64 does not; name CPUs with AVX2, as in --cpu=x86-64-v3, or omit the option for this target");
  EXPECT_NE(errorOf("linux-x86_64", "x86-64-v4, nehalem").find("'nehalem' of target linux-x86_64"), std::string::npos);
  EXPECT_EQ(errorOf("android-x86_64", "", FloatStorage::BF16), "");
}

TEST(HalfTypes, OtherOptionsOfHalvesNeedTheSame) {
  CompilerOptions options;
  options.target = "android-x86_64";
  options.weightType = FloatStorage::F16;
  const std::string ofWeights = llvm::toString(checkHalves(options));
  EXPECT_EQ(ofWeights.find("--weight-type=fp16 needs"), 0u) << ofWeights;
  EXPECT_NE(ofWeights.find("or use bf16"), std::string::npos) << ofWeights;
  options.weightType = FloatStorage::BF16;
  EXPECT_FALSE(llvm::errorToBool(checkHalves(options)));
  options.gpuPrecision = GpuPrecision::F16;
  EXPECT_EQ(llvm::toString(checkHalves(options)).find("--gpu-precision=fp16 needs"), 0u);
}

TEST(HalfTypes, EachCpuConvertsHalvesOrIsRefused) {
  // Intel's and AMD's CPUs have AVX2 from these on.
  for (const char *cpu : {"haswell", "core-avx2", "znver1", "bdver4", "x86-64-v3", "x86-64-v4", "sapphirerapids"})
    EXPECT_EQ(errorOf("linux-x86_64", cpu), "") << cpu;
  for (const char *cpu : {"x86-64-v2", "nehalem", "sandybridge", "ivybridge", "bdver1", "silvermont", "tremont"})
    EXPECT_NE(errorOf("linux-x86_64", cpu), "") << cpu;
  for (const std::string &cpu : cpuNames("android-arm64"))
    if (llvm::toString(checkTarget("android-arm64", cpu)).empty()) // LLVM lists some servers' cores without NEON
      EXPECT_EQ(errorOf("android-arm64", cpu), "") << cpu;
}
