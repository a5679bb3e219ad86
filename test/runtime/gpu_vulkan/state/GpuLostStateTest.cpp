// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what is left of a state that runs on the GPU change, when the device is lost or its session is destroyed.
// Why:   what is lost with a GPU must be told, and the state never be half of one.
// How:   a library that loses the device at each call.

#include "test/runtime/gpu_vulkan/state/GpuKeptState.h"

namespace nacre::test {
namespace {

using GpuLostStateTest = GpuKeptState;

TEST_F(GpuLostStateTest, IsBeforeOrAfterAStepInWhichTheDeviceIsLost) {
  constexpr int kBefore = 3, kAfter = 10;
  for (bool apart : {false, true})
    for (int64_t percent : {100, 50}) { // x to y cut, or on the GPU
      memories_apart_for_tests = apart;
      cut(steps[0], percent);
      reset();
      defyPolls();
      start();
      for (int run = 0; run < kBefore; ++run)
        step();
      loseDevice(0);
      step();
      const int calls = allCalls();
      destroy();
      ASSERT_GT(calls, 2);
      for (int call = 1; call <= calls; ++call) {
        SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(calls) + " in a step" +
                     (apart ? ", memories apart" : "") + (percent == 50 ? ", cut" : ""));
        reset();
        defyPolls();
        start();
        for (int run = 0; run < kBefore; ++run)
          step();
        loseDevice(call);
        // A cut has its storages in the host's memory.
        const bool keeps = !apart || percent == 50;
        int ahead = kBefore;
        for (int run = 0; run <= kAfter; ++run) {
          ASSERT_EQ(nacre_session_run(session), NACRE_OK);
          const bool onGpu = info().device[0] != 0;
          if (!onGpu && ahead != 0 && !keeps) {
            expected = state; // the host knows no later one
            const std::string runs = std::to_string(ahead) + (ahead == 1 ? " later run" : " later runs");
            EXPECT_NE(
                sessionReason().find("the state is that after run 0 on the GPU: what " + runs + " made of it is lost"),
                std::string::npos)
                << sessionReason();
          }
          ahead = onGpu ? ahead + 1 : 0;
          update();
          checkOutputs();
          ASSERT_LE(run == 0 ? 0 : ahead, 0) << "lost in one run, known in the next at the latest";
        }
        EXPECT_NE(sessionReason().find("device"), std::string::npos) << sessionReason();
        EXPECT_TRUE(hasFailed());
        checkState();
        destroy();
        if (HasFatalFailure())
          return;
      }
    }
}

TEST_F(GpuLostStateTest, IsKnownToTheHostAfter64Runs) {
  memories_apart_for_tests = true;
  reset();
  start();
  Rows known = state;
  for (int run = 1; run <= 150; ++run) {
    const uint64_t toCpu = copiedBy([&] { step(); }).toCpu;
    EXPECT_EQ(toCpu, kPortBytes + 2 * kRowBytes + (run % 64 == 0 ? kWritten * kRowBytes : 0)) << "run " << run;
    if (run % 64 == 0)
      known = expected;
  }
  loseDevice(1);
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  EXPECT_NE(sessionReason().find("that after run 128 on the GPU: what 22 later runs made of it is lost"),
            std::string::npos)
      << sessionReason();
  expected = known;
  update();
  checkOutputs();
  checkState();
}

TEST_F(GpuLostStateTest, IsNotLostNorCopiedAgainWhenTheHostKnowsIt) {
  memories_apart_for_tests = true;
  reset();
  start();
  for (int run = 1; run <= 64; ++run)
    step();
  EXPECT_EQ(copiedBy([&] { checkState(); }).toCpu, 0u);
  EXPECT_EQ(copiedBy([&] { step(); }).toGpu, kPortBytes) << "the GPU still has it";
  for (int run = 66; run <= 128; ++run)
    step();
  loseDevice(1);
  checkState();
  step(); // on the CPU
  EXPECT_EQ(sessionReason().find("made of it is lost"), std::string::npos) << sessionReason();
  checkState();
}

TEST_F(GpuLostStateTest, TellsOnceThatAReadFoundItLost) {
  memories_apart_for_tests = true;
  constexpr int kCalls = 7; // of a read; with the last one it waits for what it has submitted
  for (int call = 1; call <= kCalls; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    reset();
    start();
    step();
    checkState();
    const Rows known = expected;
    step();
    loseDevice(call);
    Rows rows;
    EXPECT_EQ(nacre_state_read(stateOf(), 0, rows.data(), kStateBytes), NACRE_FAILED);
    EXPECT_EQ(allCalls() >= kCalls, call == kCalls);
    EXPECT_NE(std::string(nacre_state_reason(stateOf()))
                  .find("that after run 1 on the GPU: what 1 later run made of it is lost"),
              std::string::npos)
        << nacre_state_reason(stateOf());
    expected = known;
    checkState();
    step(); // on the CPU, since the GPU does not take the state
    EXPECT_STREQ(info().device, "");
    checkState();
    destroy();
  }
}

TEST_F(GpuLostStateTest, ComesHomeBeforeItsSessionIsDestroyed) {
  for (bool apart : {false, true})
    for (bool loses : {false, true}) {
      SCOPED_TRACE(std::string(apart ? "memories apart" : "one memory") + (loses ? ", lost" : ""));
      memories_apart_for_tests = apart;
      reset();
      ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &shared), NACRE_OK);
      options.state = shared;
      start();
      step();
      step();
      if (loses)
        loseDevice(1);
      destroy();
      if (loses && apart) {
        Rows rows;
        EXPECT_EQ(nacre_state_read(shared, 0, rows.data(), kStateBytes), NACRE_FAILED);
        EXPECT_NE(std::string(nacre_state_reason(shared)).find("2 later runs"), std::string::npos)
            << nacre_state_reason(shared);
        expected = state;
      }
      checkState(shared);
      nacre_state_destroy(shared);
      options.state = shared = nullptr;
    }
}

} // namespace
} // namespace nacre::test
