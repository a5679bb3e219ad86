// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a session of the hand-made model on a GPU, and the checks that all tests of the engine share.
// Why:   the answer must be right whatever the cut, the device's memory, or the failure.
// How:   an allocator that counts, so that what is not given back is seen.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_GPUSESSION_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_GPUSESSION_H

#include "test/runtime/gpu_vulkan/GpuToyModel.h"

#include <atomic>
#include <climits>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

namespace nacre::test {

class GpuSession : public testing::Test {
protected:
  GpuSession();
  ~GpuSession() override;

  nacre_status create();
  void destroy();

  /// Runs, and checks both outputs; `sum` grows from run to run.
  void runAndCheck();

  /// Lets the next run be the one after `count` others: writes the state, or resets it.
  void goOnAfter(int count);

  /// Runs, and checks, until the GPU takes part.
  void runUntilOnGpu();

  nacre_session_info info();
  nacre_launch_time timeOf(uint32_t launch);
  std::string sessionReason() { return nacre_session_reason(session); }

  GpuToyModel toy;
  nacre_session_options options = nacre_session_options_default();
  nacre_session *session = nullptr;
  char reason[256] = "";
  std::vector<std::string> said; // to the log
  std::mutex saying;             // a thread that makes the GPU ready says something too
  std::atomic<size_t> liveBytes{0};
  std::atomic<int> allocations{INT_MAX}; // that are granted

  int runs = 0;

private:
  nacre_allocator allocator;
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_GPUSESSION_H
