// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the floating-point state that kernels meet, and that the app finds afterwards.
// Why:   subnormal numbers are slow, and an app's rounding is its own.
// How:   a kernel whose units tell what they and their thread do; threads are held until all have a part.

#include "runtime/src/float_state.h"
#include "test/runtime/ToyModel.h"

#include <atomic>
#include <cfenv>
#include <cfloat>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace nacre::test {
namespace {

using runtime::float_state;
using runtime::kKernelFloatState;
using runtime::set_float_state;

volatile float tiny = FLT_MIN; // volatile: computed when the test runs
volatile float half = 0.5F;

/// Returns the control register without the flags of exceptions.
auto controls() {
#if defined(__aarch64__)
  return float_state();
#else
  constexpr uint32_t happened = 0x3f;
  return float_state() & ~happened;
#endif
}

std::atomic<int> unitsWithin, arrivals, unlike, kept;
int wanted, iteration;

/// A kernel instead of the toy's: each of `wanted` threads waits for the others.
void observe(const nacre_kernel_args *, int64_t begin, int64_t end) {
  if (begin == end)
    return;
  unlike += controls() != kKernelFloatState;
  kept += tiny * half != 0;
  const float subnormal = FLT_TRUE_MIN;
  volatile float input = subnormal;
  kept += input != 0;
  unitsWithin += int(end - begin);
  static thread_local int seenIn = 0;
  if (seenIn != iteration) {
    seenIn = iteration;
    ++arrivals;
  }
  while (arrivals < wanted)
    std::this_thread::yield();
}

class FloatStateTest : public testing::Test {
protected:
  /// The first launch tells, as one part a unit.
  void run(uint32_t threads, nacre_executor *executor = nullptr) {
    toy.entries[0].step_count = 1;
    toy.variants[1].function = observe;
    unitsWithin = arrivals = unlike = kept = 0;
    wanted = int(threads);
    ++iteration;
    nacre_session_options options = nacre_session_options_default();
    options.threads = threads;
    options.executor = executor;
    nacre_session *session = nullptr;
    ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
    EXPECT_EQ(nacre_session_run(session), NACRE_OK);
    nacre_session_destroy(session);
    EXPECT_EQ(unitsWithin, kRows);
    EXPECT_EQ(arrivals, int(threads)) << "some thread had no part";
    EXPECT_EQ(unlike, 0) << "parts of the launch ran in another state";
    EXPECT_EQ(kept, 0) << "subnormal numbers are not zero";
  }

  ToyModel toy;
};

TEST_F(FloatStateTest, SubnormalNumbersAreZeroOnEveryThread) {
  for (uint32_t threads : {1, 2, 3, 5})
    run(threads);
  EXPECT_NE(tiny * half, 0) << "the app's own are not";
}

TEST_F(FloatStateTest, TheAppsOwnStateIsUntouched) {
  const auto before = float_state();
  for (int rounding : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    fesetround(rounding);
    const auto mine = controls();
    run(3); // workers inherit the app's state, too
    EXPECT_EQ(controls(), mine);
    EXPECT_EQ(fegetround(), rounding);
  }
  set_float_state(before);
}

/// An app's threads get back what they had.
TEST_F(FloatStateTest, AnExecutorsThreadsKeepTheirState) {
  struct Pool {
    nacre_executor executor;
    bool same = true;
  } pool = {
      {sizeof(nacre_executor), 2, [](nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t) {
         auto *self = reinterpret_cast<Pool *>(executor);
         auto part = [=](uint32_t thread, int64_t begin, int64_t end) {
           fesetround(thread ? FE_DOWNWARD : FE_TONEAREST);
           const auto mine = controls();
           task(context, thread, begin, end);
           return controls() == mine;
         };
         bool others = false;
         std::thread worker([&] { others = part(1, 0, units / 2); });
         const bool own = part(0, units / 2, units);
         worker.join();
         self->same = own && others;
       }}};
  run(2, &pool.executor);
  EXPECT_TRUE(pool.same);
}

} // namespace
} // namespace nacre::test
