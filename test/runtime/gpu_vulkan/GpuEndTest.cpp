// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  runs with a GPU that are ended, and sessions with one in a child process.
// Why:   what was submitted must come to its end, and a device belongs to one process.
// How:   loops that a run decides about are the CPU's, whose launches end the run.

#include "runtime/src/gpu_vulkan/traits.h"
#include "test/runtime/gpu_vulkan/GpuSession.h"

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace nacre::test {
namespace {

using runtime::gpu::memories_apart_for_tests;

struct GpuEndTest : GpuSession {
  ~GpuEndTest() override { memories_apart_for_tests = false; }
};

/// The CPU's relu_1, which only the endless loop of these tests calls, with an extra action.
nacre_kernel_function relu;
std::function<void()> beside;
void reluAndMore(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  relu(args, begin, end);
  beside();
}

TEST_F(GpuEndTest, EndsALoopThatARunDecides) {
  toy.loopWhile();
  relu = toy.variants[2].function;
  toy.variants[2].function = reluAndMore;
  options.max_iterations = kRows + 1000;
  for (bool apart : {false, true})
    for (nacre_status status : {NACRE_CANCELLED, NACRE_TOO_MANY_ITERATIONS}) {
      SCOPED_TRACE(std::string(nacre_status_text(status)) + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      ASSERT_EQ(create(), NACRE_OK) << reason;
      std::atomic<int> calls{0};
      beside = [&] {
        if (++calls == 1 && status == NACRE_CANCELLED) {
          EXPECT_EQ(nacre_session_cancel(session), NACRE_OK);
        }
      };
      runAndCheck();
      for (int iteration = 0; iteration < 3; ++iteration) {
        calls = 0;
        void *x = nullptr;
        ASSERT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
        static_cast<float *>(x)[kSwitch] = 1;
        EXPECT_EQ(nacre_session_run(session), status);
        EXPECT_NE(sessionReason().find("'loop_1'"), std::string::npos) << sessionReason();
        if (status == NACRE_CANCELLED) { // within the iteration, of which each thread may have some parts
          EXPECT_LE(calls, kRows * 2);
        }
        EXPECT_GT(info().gpu_launches, 0u) << "the GPU is there as before";
        runAndCheck(); // the state is as it was
      }
      destroy();
    }
}

TEST_F(GpuEndTest, EndsARunInItsLastBatch) {
  options.gpu_cut = 50;
  relu = toy.variants[4].function; // sum_1, the last launch
  toy.variants[4].function = reluAndMore;
  beside = [] {};
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  std::atomic<int> calls{0};
  beside = [&] {
    ++calls;
    EXPECT_EQ(nacre_session_cancel(session), NACRE_OK);
  };
  EXPECT_EQ(nacre_session_run(session), NACRE_CANCELLED);
  EXPECT_GT(calls, 0) << "the CPU has a part of the last launch";
  EXPECT_GT(info().gpu_launches, 0u);
  beside = [] {};
  runAndCheck(); // the state is as it was
}

TEST_F(GpuEndTest, ALoopThatIsTooLongToBeRecordedDoesNotHoldUpCreate) {
  toy.steps[2].trip_count = int64_t(1) << 50;
  toy.operands[4].step = 0; // the same row in each iteration
  options.gpu_self_test = 1;
  options.tune_budget_ms = 5;
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason).find("too long to record"), std::string::npos) << reason;
}

TEST_F(GpuEndTest, IsLeftToTheParentByAChild) { // lavapipe's threads are the parent's
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    runAndCheck();
    runAndCheck();
    const bool told = sessionReason().find("the GPU belongs to the parent process") == 0;
    const bool left = info().device[0] == 0;
    destroy();
    _exit(HasFailure() ? 1 : told && left ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  runAndCheck();
  EXPECT_NE(info().device[0], 0);
}

TEST_F(GpuEndTest, AChildHasTheStateThatTheParentSawLast) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  ASSERT_EQ(nacre_session_run(session), NACRE_OK); // whose state the host has not seen
  ++runs;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    nacre_state *state = nullptr;
    float total[kColumns];
    nacre_session_state(session, &state);
    const bool refused = nacre_state_read(state, 0, total, sizeof total) == NACRE_FAILED;
    const std::string why = nacre_state_reason(state);
    const bool told = why.find("the GPU belongs to the parent process; the state is that after run 1 on the GPU") == 0;
    --runs;
    runAndCheck();
    _exit(HasFailure() ? 1 : !refused ? 2 : told ? 0 : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  runAndCheck();
}

} // namespace
} // namespace nacre::test
