// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles: those that are shipped are whole, and a figure that is wrong is named.

#include "compiler/place/DeviceProfile.h"

#include "gtest/gtest.h"

using namespace nacre::place;

namespace {

constexpr const char *kProfile = R"({
  "name": "phone", "description": "A phone",
  "cpu": {"clusters": [{"core": "little", "cores": 4, "clock_ghz": 2, "fp32_flops_per_cycle": 8, "fp16_flops_per_cycle": 16, "int8_ops_per_cycle": 32},
                       {"core": "big", "cores": 2, "clock_ghz": 3, "fp32_flops_per_cycle": 16, "fp16_flops_per_cycle": 32, "int8_ops_per_cycle": 64}],
          "threads": 2, "bandwidth_gbps": 20, "core_bandwidth_gbps": 10, "cache_kib": 1024,
          "core_cache_bandwidth_gbps": 40, "launch_us": 4, "source": "none"},
  "gpu": {"fp32_gflops": 500, "fp16_gflops": 1000, "invocations": 2048, "bandwidth_gbps": 20, "cache_kib": 512,
          "cache_bandwidth_gbps": 80, "source": "none"},
  "latency": {"dispatch_us": 15, "meeting_us": 200, "source": "none"},
  "memory": {"shared": true, "bandwidth_gbps": 30, "source": "none"}
})";

/// Returns the error for kProfile with `from` replaced by `to`.
std::string errorOf(const std::string &from, const std::string &to) {
  std::string text = kProfile;
  const size_t at = text.find(from);
  if (at == std::string::npos)
    return "'" + from + "' is not in the profile";
  text.replace(at, from.size(), to);
  llvm::Expected<DeviceProfile> profile = parseDeviceProfile(text, "phone.json");
  return profile ? "none" : llvm::toString(profile.takeError());
}

} // namespace

TEST(DeviceProfile, ReadsUnits) {
  llvm::Expected<DeviceProfile> profile = parseDeviceProfile(kProfile, "phone.json");
  ASSERT_TRUE(bool(profile)) << llvm::toString(profile.takeError());
  EXPECT_EQ(profile->cpu.clusters.front().core, "big"); // fastest first, whatever the file's order
  EXPECT_DOUBLE_EQ(profile->cpu.flopsPerSecond(2), 96e9);
  EXPECT_DOUBLE_EQ(profile->cpu.halfRate(), 2);
  EXPECT_DOUBLE_EQ(profile->cpu.integerRate(), 4);
  EXPECT_DOUBLE_EQ(profile->cpu.cache.bytes, 1 << 20);
  EXPECT_DOUBLE_EQ(profile->gpu.meetingSeconds, 200e-6);
  EXPECT_DOUBLE_EQ(profile->memory.bytesPerSecond, 30e9);
  EXPECT_EQ(profile->memory.copyBytesPerSecond, 0);
}

TEST(DeviceProfile, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf("\"launch_us\": 4, ", ""), "phone.json: cpu.launch_us is missing");
  EXPECT_EQ(errorOf(", \"fp16_flops_per_cycle\": 16", ""),
            "phone.json: cpu.clusters[0].fp16_flops_per_cycle is missing; measure with nacre-tune, or write twice "
            "fp32_flops_per_cycle for a core with fp16 arithmetic (fullfp16 of Armv8.2), else as much as it");
  EXPECT_EQ(errorOf(", \"int8_ops_per_cycle\": 32", ""),
            "phone.json: cpu.clusters[0].int8_ops_per_cycle is missing; measure with nacre-tune, or write 4 times "
            "fp32_flops_per_cycle for cores with dot products, else as much as it");
  EXPECT_EQ(errorOf("\"clock_ghz\": 3", "\"clock_ghz\": -3"),
            "phone.json: cpu.clusters[1].clock_ghz must be a number from 1e-6 to 1e9");
  EXPECT_EQ(errorOf("\"cores\": 4", "\"cores\": 4.5"),
            "phone.json: cpu.clusters[0].cores must be an integer from 1 to 1024");
  EXPECT_EQ(errorOf("\"meeting_us\": 200", "\"meeting_us\": 200, \"meting_us\": 1"),
            "phone.json: latency.meting_us is unknown; known are dispatch_us, meeting_us, source");
  EXPECT_EQ(errorOf("\"shared\": true", "\"shared\": 1"), "phone.json: memory.shared must be true or false");
  EXPECT_EQ(errorOf("\"threads\": 2", "\"threads\": 7"),
            "phone.json: cpu.threads must be at most the number of cores, 6");
  EXPECT_EQ(errorOf("\"source\": \"none\"", "\"source\": \"\""), "phone.json: cpu.source must be a non-empty string");
}

TEST(DeviceProfile, CopiesHaveARateWhereMemoryIsNotShared) {
  EXPECT_EQ(errorOf("\"shared\": true", "\"shared\": false"), "phone.json: memory.copy_bandwidth_gbps is missing");
  EXPECT_EQ(errorOf("\"shared\": true", "\"shared\": false, \"copy_bandwidth_gbps\": 12"), "none");
  EXPECT_NE(errorOf("\"shared\": true", "\"shared\": true, \"copy_bandwidth_gbps\": 12"), "none");
}

TEST(DeviceProfile, RatesAreAllMeasuredOrNone) {
  EXPECT_FALSE(llvm::cantFail(parseDeviceProfile(kProfile, "phone.json")).gpu.rates);
  const std::string without = "\"cache_bandwidth_gbps\": 80,";
  const std::string some =
      without + R"( "rates": {"streamed_gps": 1, "depthwise_gps": 2, "pointwise_gps": 3, "row_gps": 4)";
  EXPECT_EQ(errorOf(without, some + "},"), "phone.json: gpu.rates.movement_gps is missing");
  EXPECT_EQ(errorOf(without, without + R"( "rates": 3,)"), "phone.json: gpu.rates must be an object");
  EXPECT_EQ(errorOf(without, some + R"(, "movement_gps": 5},)"), "none");
  EXPECT_EQ(
      errorOf("\"invocations\": 2048", "\"invocations\": 2048, \"rate\": 1"),
      "phone.json: gpu.rate is unknown; known are fp32_gflops, fp16_gflops, invocations, bandwidth_gbps, cache_kib, "
      "cache_bandwidth_gbps, rates, source");
}

TEST(DeviceProfile, SyntaxErrorsHaveALine) {
  EXPECT_NE(errorOf("\"latency\":", "\"latency\"").find("phone.json: [9:"), std::string::npos)
      << errorOf("\"latency\":", "\"latency\"");
}

TEST(DeviceProfile, ShippedOnesAreValidAndNamedAsTheirFiles) {
  EXPECT_GE(shippedProfiles().size(), 6u);
  for (const ShippedProfile &shipped : shippedProfiles()) {
    llvm::Expected<DeviceProfile> profile = loadDeviceProfile(shipped.name);
    ASSERT_TRUE(bool(profile)) << llvm::toString(profile.takeError());
    EXPECT_EQ(profile->name, shipped.name);
  }
}
