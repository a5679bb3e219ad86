// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a session of the hand-made model on the Vulkan library that fails on request, and tells what it was asked.
// Why:   tests of failures and tests of copies both need it.
// How:   the library's functions are found by name.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEGPUSESSION_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEGPUSESSION_H

#include "runtime/src/gpu_vulkan/loader.h"
#include "test/runtime/gpu_vulkan/FakeVulkan.h"
#include "test/runtime/gpu_vulkan/GpuSession.h"

#include <dlfcn.h>

namespace nacre::test {

struct FakeGpuSession : GpuSession {
  FakeGpuSession() {
    library = dlopen(NACRE_FAKE_VULKAN, RTLD_NOW);
    runtime::gpu::library_for_tests = NACRE_FAKE_VULKAN;
    locate(reset, "fakeVulkanReset");
    locate(fail, "fakeVulkanFail");
    locate(failFrom, "fakeVulkanFailFrom");
    locate(defyPolls, "fakeVulkanDefyPolls");
    locate(showTwice, "fakeVulkanShowTwice");
    locate(hide, "fakeVulkanHide");
    locate(loseDevice, "fakeVulkanLoseDevice");
    locate(allCalls, "fakeVulkanAllCalls");
    locate(copies, "fakeVulkanCopies");
    locate(peakBytes, "fakeVulkanPeakBytes");
    locate(calls, "fakeVulkanCalls");
    locate(liveObjects, "fakeVulkanLiveObjects");
    locate(hasFailed, "fakeVulkanHasFailed");
    if (reset)
      reset();                         // the library stays loaded, and with it what the test before wanted to fail
    options.gpu = NACRE_GPU_IF_USEFUL; // so that there is a CPU to fail over to; lavapipe must then be named
    options.gpu_device = 1;
  }
  ~FakeGpuSession() override {
    destroy();
    runtime::gpu::library_for_tests = nullptr;
  }

  template <typename Function> void locate(Function &function, const char *name) {
    function = library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
    ASSERT_NE(function, nullptr) << name;
  }

  void *library = nullptr;
  decltype(&fakeVulkanReset) reset = nullptr;
  decltype(&fakeVulkanFail) fail = nullptr;
  decltype(&fakeVulkanFailFrom) failFrom = nullptr;
  decltype(&fakeVulkanDefyPolls) defyPolls = nullptr;
  decltype(&fakeVulkanShowTwice) showTwice = nullptr;
  decltype(&fakeVulkanHide) hide = nullptr;
  decltype(&fakeVulkanLoseDevice) loseDevice = nullptr;
  decltype(&fakeVulkanAllCalls) allCalls = nullptr;
  decltype(&fakeVulkanCopies) copies = nullptr;
  decltype(&fakeVulkanPeakBytes) peakBytes = nullptr;
  decltype(&fakeVulkanCalls) calls = nullptr;
  decltype(&fakeVulkanLiveObjects) liveObjects = nullptr;
  decltype(&fakeVulkanHasFailed) hasFailed = nullptr;
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_FAKEGPUSESSION_H
