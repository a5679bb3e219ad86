// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device a session uses, which kernels that device cannot run, and runs until it is ready.

#include "test/runtime/gpu_vulkan/GpuSession.h"

namespace nacre::test {
namespace {

using GpuDevicesTest = GpuSession;

TEST_F(GpuDevicesTest, LeavesToTheCpuWhatTheDeviceCannotDo) {
  toy.kernels[0].gpu_count = 1;                // needs what no device has
  toy.gpuVariants[2].workgroup_size = 1 << 30; // relu
  toy.gpuVariants[3].families = 1u << 31;      // copy
  toy.operands[5].offset = 4;                  // sum: bound nowhere in Vulkan's alignment, though lavapipe might
  toy.operands[6].offset = toy.variables[0].offset = 4;
  toy.gpuVariants[4].shared_bytes = 1 << 30;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(info().gpu_launches, 0u);
  std::string all;
  for (const std::string &line : said)
    all += line + "\n";
  for (const char *expected : {"'mul_1+add_1' stays on the CPU, because the device lacks features",
                               "'relu_1' stays on the CPU, because the device lacks workgroups of that size",
                               "'copy_1' stays on the CPU, because the device lacks code for its family",
                               "'sum_1' stays on the CPU, because the device lacks shared memory"})
    EXPECT_NE(all.find(expected), std::string::npos) << expected << " is not in\n" << all;
}

TEST_F(GpuDevicesTest, DoesWithoutDamagedCode) {
  const uint8_t damaged[] = {1, 0};  // begins with a copy of what is before the beginning
  toy.gpuVariants[2].code = damaged; // relu
  toy.gpuVariants[2].packed_bytes = sizeof damaged;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_GE(info().gpu_launches, 1u);
  EXPECT_EQ(sessionReason(), "kernel 'relu', code 0 of it, is not used: it is damaged; compile the model again");
}

TEST_F(GpuDevicesTest, RefusesOperandsBeyondTheirStorage) {
  toy.operands[4].bytes *= 2; // the loop's last row would end after y
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason).find("damaged"), std::string::npos) << reason;
}

TEST_F(GpuDevicesTest, UsesACpuThatPlaysAGpuOnlyWhereAsked) {
  nacre_device_info device;
  ASSERT_EQ(nacre_device_describe(toy.model(), 0, &device), NACRE_OK);
  nacre_device_info second;
  if (!device.is_cpu || nacre_device_describe(toy.model(), 1, &second) == NACRE_OK)
    GTEST_SKIP() << "there is a real GPU";
  options.gpu = NACRE_GPU_IF_USEFUL;
  ASSERT_EQ(create(), NACRE_OK);
  EXPECT_NE(sessionReason().find("no suitable device"), std::string::npos) << sessionReason();
  EXPECT_STREQ(info().device, "");
  runAndCheck();
  destroy();
  options.gpu_device = 1;
  ASSERT_EQ(create(), NACRE_OK);
  EXPECT_STREQ(info().device, device.name);
  runAndCheck();
}

TEST_F(GpuDevicesTest, DescribesDevices) {
  nacre_device_info device;
  ASSERT_EQ(nacre_device_describe(toy.model(), 0, &device), NACRE_OK);
  EXPECT_NE(std::string(device.report).find("Vulkan 1."), std::string::npos);
  EXPECT_NE(std::string(device.report).find("tier"), std::string::npos);
  EXPECT_EQ(nacre_device_describe(toy.model(), 99, &device), NACRE_BAD_ARGUMENT);
  EXPECT_NE(std::string(device.report).find(" only "), std::string::npos);
  toy.table.gpu_engine = nullptr;
  EXPECT_EQ(nacre_device_describe(toy.model(), 0, &device), NACRE_UNSUPPORTED);
}

TEST_F(GpuDevicesTest, ChecksTheOptions) {
  options.gpu_cut = NACRE_GPU_CUT(101);
  EXPECT_EQ(create(), NACRE_BAD_ARGUMENT);
  options.gpu_cut = 0;
  options.gpu_device = 100;
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason).find("there is no GPU number 99: Vulkan has "), std::string::npos) << reason;
  options.gpu_device = 0;
  options.gpu = NACRE_GPU_NEVER;
  ASSERT_EQ(create(), NACRE_OK);
  EXPECT_STREQ(info().device, "");
  runAndCheck();
}

struct BackgroundTest : GpuSession {
  BackgroundTest() {
    options.gpu = NACRE_GPU_IF_USEFUL;
    options.gpu_device = 1;
    options.gpu_background = 1;
  }
};

TEST_F(BackgroundTest, ServesRunsUntilTheGpuIsReady) {
  for (uint32_t percent : {50, 100}) {
    options.gpu_cut = NACRE_GPU_CUT(percent);
    options.profile = 1;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    EXPECT_EQ(timeOf(0).gpu_share, 0);
    runUntilOnGpu(); // the state goes on
    EXPECT_GT(timeOf(0).gpu_share, 0);
    EXPECT_EQ(sessionReason(), "");
    destroy();
  }
}

TEST_F(BackgroundTest, EndsWithTheSession) {
  for (int runs = 0; runs < 3; ++runs) {
    ASSERT_EQ(create(), NACRE_OK) << reason;
    for (int i = 0; i < runs; ++i)
      runAndCheck();
    destroy();
  }
}

TEST_F(BackgroundTest, IsNotWhereAGpuIsRequired) {
  options.gpu = NACRE_GPU_REQUIRED;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_STRNE(info().device, "");
}

} // namespace
} // namespace nacre::test
