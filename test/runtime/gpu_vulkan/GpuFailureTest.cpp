// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  every Vulkan command fails once, at each of its first calls, and once is not there at all.
// Why:   a driver's failure must never be the app's: the answer comes from the CPU, the session gives the reason,
//        nothing leaks.
// How:   a clean life of a session counts the calls; then one life for each call, through the library that fails.

#include "runtime/src/gpu_vulkan/traits.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/gpu_vulkan/FakeGpuSession.h"

#include <filesystem>

namespace nacre::test {
namespace {

struct Command {
  const char *name;
  bool optional;
};

constexpr Command kCommands[] = {
#define NACRE_VK_GLOBAL(name) {#name, false},
#define NACRE_VK_INSTANCE(name) {#name, false},
#define NACRE_VK_DEVICE(name) {#name, false},
#define NACRE_VK_OPTIONAL(name) {#name, true},
#include "runtime/src/gpu_vulkan/entry_points.def"
};

/// Failures that take no GPU away: the file of pipelines is not written, the device is idle already, or it is taken to
/// have no matrices.
bool isHarmless(const std::string &name) {
  return name == "GetPipelineCacheData" || name == "DeviceWaitIdle" ||
         name == "GetPhysicalDeviceCooperativeMatrixPropertiesKHR";
}

/// Failures that take a kernel away, and leave the rest.
bool isOfAKernel(const std::string &name) { return name == "CreateShaderModule" || name == "CreateComputePipelines"; }

bool isDestructor(const std::string &name) { return name.substr(0, 7) == "Destroy" || name == "FreeMemory"; }

struct GpuFailureTest : FakeGpuSession {
  GpuFailureTest() {
    options.profile = 1;
    options.cache_folder = folder.c_str();
  }

  /// A life of a session. Its answers are right, whatever fails.
  void live(const std::string &name) {
    ASSERT_EQ(create(), NACRE_OK) << reason;
    if (options.gpu_background)
      runUntilOnGpu();
    runAndCheck();
    goOnAfter(7); // what is written is what is read, whoever computes
    runAndCheck();
    goOnAfter(0);
    runAndCheck();
    runAndCheck();
    const bool failed = hasFailed() && !isHarmless(name);
    EXPECT_EQ(std::string(info().device).empty(), failed && !isOfAKernel(name));
    EXPECT_EQ(sessionReason().empty(), !failed) << sessionReason();
    destroy();
  }

  void failEachCall(int callsTried = 4) {
    reset();
    defyPolls();
    live("");
    std::vector<int> counts;
    for (const Command &command : kCommands)
      counts.push_back(calls(command.name));
    EXPECT_EQ(liveObjects(), 0);
    int failures = 0;
    for (size_t i = 0; i < counts.size(); ++i)
      for (int call = 1; call <= std::min(counts[i], callsTried); ++call) {
        SCOPED_TRACE(std::string(kCommands[i].name) + ", call " + std::to_string(call));
        reset();
        defyPolls();
        fail(kCommands[i].name, call);
        live(kCommands[i].name);
        failures += hasFailed();
        EXPECT_EQ(liveObjects(), 0);
        if (HasFatalFailure())
          return;
      }
    RecordProperty("failures", failures);
    EXPECT_GT(failures, callsTried == 1 ? 20 : 40) << "the library does not fail what it should";
  }

  TempFolder temporary;
  std::string folder = temporary.path();
};

TEST_F(GpuFailureTest, OnTheGpuAlone) { failEachCall(); }

TEST_F(GpuFailureTest, AtACut) {
  options.gpu_cut = NACRE_GPU_CUT(50);
  failEachCall(3);
}

TEST_F(GpuFailureTest, WhereEnginesAlternate) { // batches are under way that wait for the CPU
  toy.steps[1].gpu_end = toy.steps[1].cpu_begin = 0;
  failEachCall(2);
  EXPECT_GT(calls("SignalSemaphore"), 0);
}

TEST_F(GpuFailureTest, WhereARunDecides) {
  toy.branchBeforeLoop();
  failEachCall(2);
}

TEST_F(GpuFailureTest, WhileKernelsAreTestedAndTimed) {
  options.gpu_self_test = 1;
  options.tune_budget_ms = 2;
  options.cache_folder = nullptr;
  failEachCall(2);
}

TEST_F(GpuFailureTest, SubmitsARunOnceWhereTheGpuCanWait) {
  toy.steps[1].gpu_end = toy.steps[1].cpu_begin = 0;
  reset();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  const int before = calls("QueueSubmit");
  runAndCheck();
  runAndCheck();
  EXPECT_EQ(info().submissions, 2u);
  EXPECT_EQ(calls("QueueSubmit"), before + 2);
  EXPECT_EQ(calls("SignalSemaphore"), 2);
}

TEST_F(GpuFailureTest, SubmitsBatchByBatchWhereMemoriesAreTwo) { // the GPU may not see what the CPU writes later
  toy.steps[1].gpu_end = toy.steps[1].cpu_begin = 0;
  runtime::gpu::memories_apart_for_tests = true;
  reset();
  const nacre_status made = create();
  runtime::gpu::memories_apart_for_tests = false;
  ASSERT_EQ(made, NACRE_OK) << reason;
  const int before = calls("QueueSubmit");
  runAndCheck();
  runAndCheck();
  EXPECT_EQ(info().submissions, 2u);
  EXPECT_EQ(calls("QueueSubmit"), before + 4 + 3); // the state goes there once, and comes back when the test reads it
  EXPECT_EQ(calls("SignalSemaphore"), 0);
}

TEST_F(GpuFailureTest, LeavesADeviceThatCannotBeStopped) {
  toy.steps[1].gpu_end = toy.steps[1].cpu_begin = 0;
  reset();
  failFrom("SignalSemaphore", 2);
  live(""); // the second run's last batch waits for ever, and what it uses stays
  EXPECT_GT(liveObjects(), 0);
}

TEST_F(GpuFailureTest, InTheBackground) {
  options.gpu_background = 1;
  failEachCall(1);
}

TEST_F(GpuFailureTest, WithFences) { // where there are no timeline semaphores
  toy.steps[1].gpu_end = toy.steps[1].cpu_begin = 0;
  for (const char *name : {"CreateFence", "GetFenceStatus", "WaitForFences", "ResetFences"})
    for (int call = 0; call <= 3; ++call) {
      SCOPED_TRACE(std::string(name) + ", call " + std::to_string(call));
      reset();
      defyPolls();
      hide("WaitSemaphores");
      if (call)
        fail(name, call);
      ASSERT_EQ(create(), NACRE_OK);
      for (int run = 0; run < 3; ++run)
        runAndCheck();
      if (call == 0) { // and one more where weights are copied to a memory apart
        EXPECT_GE(calls("WaitForFences"), 6);
      }
      destroy();
      EXPECT_EQ(liveObjects(), 0);
    }
}

TEST_F(GpuFailureTest, WhereCommandsAreMissing) {
  for (const Command &command : kCommands) {
    if (isDestructor(command.name))
      continue; // without them nothing could be given back
    SCOPED_TRACE(command.name);
    reset();
    hide(command.name);
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    EXPECT_EQ(std::string(info().device).empty(), !command.optional);
    if (!command.optional) {
      EXPECT_NE(sessionReason().find(command.name), std::string::npos) << sessionReason();
    }
    destroy();
    EXPECT_EQ(liveObjects(), 0);
  }
}

TEST_F(GpuFailureTest, OfAPipelineMovesItsLaunchesToTheCpu) {
  options.cache_folder = nullptr;
  options.gpu = NACRE_GPU_REQUIRED;
  toy.kernels[1].gpu_count = 0; // one of two variants that serve, so that the order of threads tells nothing
  for (nacre_step &step : toy.steps)
    step.gpu_end = step.cpu_begin = 0;
  toy.steps[0].gpu_end = toy.steps[0].cpu_begin = kRows;
  toy.gpuVariants[0].needs = 0;
  for (int failures = 1; failures <= 2; ++failures) {
    reset();
    fail("CreateComputePipelines", 1);
    if (failures == 2)
      failFrom("CreateComputePipelines", 1);
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    EXPECT_STRNE(info().device, "");
    EXPECT_EQ(info().gpu_launches, failures == 1 ? 1u : 0u) << "the second variant serves too";
    EXPECT_EQ(info().pipelines, failures == 1 ? 1u : 0u);
    EXPECT_EQ(sessionReason(), std::string("kernel 'scale', code ") + (failures == 1 ? "0" : "1") +
                                   " of it, is not used: the GPU failed at vkCreateComputePipelines: out of "
                                   "GPU memory");
    destroy();
    EXPECT_EQ(liveObjects(), 0);
  }
}

TEST_F(GpuFailureTest, IsTheAppsWhereAGpuIsRequired) {
  options.gpu = NACRE_GPU_REQUIRED;
  reset();
  fail("AllocateMemory", 1);
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_STREQ(reason, "the GPU failed at vkAllocateMemory: out of GPU memory");
  EXPECT_EQ(liveBytes, 0u);
  EXPECT_EQ(liveObjects(), 0);
}

TEST_F(GpuFailureTest, OfOneDeviceLeavesTheOthers) {
  constexpr char query[] = "EnumerateDeviceExtensionProperties"; // twice for each device
  options.gpu = NACRE_GPU_REQUIRED;
  options.gpu_device = 0;
  reset();
  showTwice();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  const int perDevice = calls(query) / 2;
  destroy();
  for (const int call : {1, 2, perDevice + 1, perDevice + 2}) {
    SCOPED_TRACE(call);
    reset();
    showTwice();
    fail(query, call);
    ASSERT_EQ(create(), NACRE_OK) << reason;
    EXPECT_TRUE(hasFailed());
    EXPECT_STRNE(info().device, "");
    EXPECT_EQ(sessionReason(), "");
    runAndCheck();
    destroy();
    EXPECT_EQ(liveObjects(), 0);
  }
  reset();
  showTwice();
  failFrom(query, 1);
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_STREQ(reason, "the GPU failed at vkEnumerateDeviceExtensionProperties: out of GPU memory");
}

TEST_F(GpuFailureTest, OfOneDeviceIsDescribedAndDoesNotEndTheList) {
  reset();
  showTwice();
  fail("EnumerateDeviceExtensionProperties", 1);
  nacre_device_info device;
  ASSERT_EQ(nacre_device_describe(toy.model(), 0, &device), NACRE_OK);
  EXPECT_FALSE(device.usable);
  EXPECT_STRNE(device.name, "");
  EXPECT_NE(std::string(device.report).find("unusable, because the GPU failed at vkEnumerateDeviceExtensionProperties"),
            std::string::npos)
      << device.report;
  ASSERT_EQ(nacre_device_describe(toy.model(), 1, &device), NACRE_OK);
  EXPECT_TRUE(device.usable);
}

TEST_F(GpuFailureTest, WithoutVulkan) {
  runtime::gpu::library_for_tests = "libno-such-vulkan.so";
  ASSERT_EQ(create(), NACRE_OK);
  EXPECT_EQ(sessionReason(), "there is no Vulkan: 'libno-such-vulkan.so' cannot be loaded");
  runAndCheck();
  nacre_device_info device;
  EXPECT_EQ(nacre_device_describe(toy.model(), 0, &device), NACRE_UNSUPPORTED);
}

} // namespace
} // namespace nacre::test
