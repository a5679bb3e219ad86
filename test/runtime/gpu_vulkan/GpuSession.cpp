// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see GpuSession.h.
// Why:   see there.
// How:   outputs are poisoned before each run.

#include "test/runtime/gpu_vulkan/GpuSession.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace nacre::test {

GpuSession::GpuSession() {
  allocator = {[](void *user, size_t bytes, size_t alignment) -> void * {
                 auto *self = static_cast<GpuSession *>(user);
                 if (self->allocations.fetch_sub(1) <= 0)
                   return nullptr;
                 self->liveBytes += bytes;
                 return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
               },
               [](void *user, void *block, size_t bytes) {
                 static_cast<GpuSession *>(user)->liveBytes -= bytes;
                 std::free(block);
               },
               this};
  options.gpu = NACRE_GPU_REQUIRED;
  options.threads = 2;
  options.allocator = &allocator;
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  options.log = [](void *user, nacre_log_level, const char *message) {
    auto *self = static_cast<GpuSession *>(user);
    std::lock_guard<std::mutex> lock(self->saying);
    self->said.push_back(message);
  };
  options.log_user = this;
}

GpuSession::~GpuSession() { destroy(); }

nacre_status GpuSession::create() {
  reason[0] = 0;
  runs = 0;
  said.clear();
  return nacre_session_create(toy.model(), &options, &session);
}

void GpuSession::destroy() {
  nacre_session_destroy(session);
  session = nullptr;
  EXPECT_EQ(liveBytes, 0u);
}

void GpuSession::runAndCheck() {
  void *x = nullptr, *y = nullptr, *sum = nullptr;
  ASSERT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
  ASSERT_EQ(nacre_session_output(session, 0, &y), NACRE_OK);
  ASSERT_EQ(nacre_session_output(session, 1, &sum), NACRE_OK);
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    static_cast<float *>(x)[i] = toyInput(i);
  std::memset(y, 0xff, kRows * kColumns * sizeof(float));
  std::memset(sum, 0xff, kColumns * sizeof(float));
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  ++runs;
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    ASSERT_EQ(static_cast<float *>(y)[i], toyOutput(i)) << "y[" << i << "] in run " << runs;
  for (int64_t c = 0; c < kColumns; ++c)
    ASSERT_EQ(static_cast<float *>(sum)[c], toySum(c, runs)) << "sum[" << c << "] in run " << runs;
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    ASSERT_EQ(static_cast<float *>(x)[i], toyInput(i)) << "a run wrote into its input";
  nacre_state *state = nullptr;
  float total[kColumns];
  ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
  ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
  for (int64_t c = 0; c < kColumns; ++c)
    ASSERT_EQ(total[c], toySum(c, runs)) << "total[" << c << "] after run " << runs;
}

void GpuSession::goOnAfter(int count) {
  nacre_state *state = nullptr;
  ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
  float total[kColumns];
  for (int64_t c = 0; c < kColumns; ++c)
    total[c] = toySum(c, count);
  ASSERT_EQ(count ? nacre_state_write(state, 0, total, sizeof total) : nacre_state_reset(state, NACRE_STATE_ALL),
            NACRE_OK);
  runs = count;
}

void GpuSession::runUntilOnGpu() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(20);
  while (info().device[0] == 0 && sessionReason().empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    runAndCheck();
  }
  runAndCheck();
}

nacre_session_info GpuSession::info() {
  nacre_session_info info;
  EXPECT_EQ(nacre_session_describe(session, &info), NACRE_OK);
  return info;
}

nacre_launch_time GpuSession::timeOf(uint32_t launch) {
  nacre_launch_time time;
  EXPECT_EQ(nacre_session_launch_time(session, launch, &time), NACRE_OK);
  return time;
}

} // namespace nacre::test
