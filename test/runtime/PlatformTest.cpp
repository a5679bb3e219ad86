// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  counting big cores on made-up phones, CPU features against the compiler's own view, and small texts.
// Why:   the phones at hand are few; the rules must hold for all.
// How:   a phone is a folder of text files, given to the runtime as the root of /sys.

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/big_cores.h"
#include "runtime/src/cpu_features.h"
#include "runtime/src/text.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace nacre::runtime {
namespace {

class BigCores : public testing::Test {
protected:
  void SetUp() override {
    root = testing::TempDir() + "nacre_big_cores_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root);
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void add(const std::string &file, std::initializer_list<int> figures) {
    int cpu = 0;
    for (int figure : figures) {
      const std::string path = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu++) + "/" + file;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      std::ofstream(path) << figure << "\n";
    }
  }

  uint32_t count(unsigned cpus) {
    CpuSet allowed;
    for (unsigned cpu = 0; cpu < cpus; ++cpu)
      allowed.add(cpu);
    return count_big_cores(root.c_str(), allowed);
  }

  std::string root;
};

TEST_F(BigCores, FourLittleThreeMiddleOnePrime) {
  add("cpu_capacity", {250, 250, 250, 250, 800, 800, 800, 1024});
  EXPECT_EQ(count(8), 4u);
}

TEST_F(BigCores, KeepsMiddleCoresOfLessThanHalfTheCapacity) {
  add("cpu_capacity", {124, 124, 124, 124, 427, 427, 1024, 1024});
  EXPECT_EQ(count(8), 4u);
}

TEST_F(BigCores, UsesFrequenciesWhereThereIsNoCapacity) {
  add("cpufreq/cpuinfo_max_freq", {1800000, 1800000, 1800000, 1800000, 2400000, 2400000, 2400000, 2840000});
  EXPECT_EQ(count(8), 4u);
}

TEST_F(BigCores, CountsOnlyWhatTheProcessMayUse) {
  add("cpu_capacity", {250, 250, 250, 250, 1024, 1024, 1024, 1024});
  EXPECT_EQ(count(6), 2u);
  EXPECT_EQ(count(4), 4u) << "little cores alone are all big to us";
}

TEST_F(BigCores, CountsAllWhereNothingIsKnown) {
  EXPECT_EQ(count(3), 3u);
  EXPECT_EQ(count(0), 1u);
}

TEST(CpuFeatures, AreWhatTheCompilerSees) {
#if defined(__x86_64__)
  const uint64_t features = cpu_features();
  const auto has = [&](nacre_cpu_bit bit) { return (features & NACRE_CPU_NEED(bit)) != 0; };
  EXPECT_EQ(has(NACRE_X86_64_V2), __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3"));
  EXPECT_EQ(has(NACRE_X86_64_V3), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(has(NACRE_X86_64_V4), __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"));
  EXPECT_EQ(has(NACRE_X86_AVX512_VNNI), __builtin_cpu_supports("avx512vnni") != 0);
#else
  EXPECT_TRUE(cpu_features() & NACRE_CPU_NEED(NACRE_ARM64_NEON));
#endif
}

TEST(CpuFeatures, HaveNames) {
  EXPECT_STREQ(cpu_feature_name(NACRE_ARM64_DOTPROD), "dotprod");
  EXPECT_STREQ(cpu_feature_name(NACRE_X86_64_V3), "x86-64-v3");
}

TEST(Text, CutsOffWhatDoesNotFit) {
  Text<8> text;
  text << "ab" << uint64_t(12345) << "cd";
  EXPECT_STREQ(text.c_str(), "ab12345");
  Text<32> largest;
  largest << UINT64_MAX;
  EXPECT_STREQ(largest.c_str(), "18446744073709551615");
}

} // namespace
} // namespace nacre::runtime
