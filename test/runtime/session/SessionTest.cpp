// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  sessions against a hand-made model: right answers, and calls that are refused.
// Why:   this is the code that runs on other people's phones.
// How:   only through nacre/runtime.h, as an app would.

#include "test/runtime/session/ToySession.h"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace nacre::test {
namespace {

using SessionTest = ToySession;

TEST_F(SessionTest, ComputesTheSameOnAnyNumberOfThreads) {
  for (uint32_t threads : {1, 2, 3, 7}) {
    ASSERT_EQ(create(threads), NACRE_OK) << reason;
    fill(input());
    for (int run = 1; run <= 50; ++run) {
      memset(output(), 0xff, kRows * kColumns * sizeof(float));
      ASSERT_EQ(nacre_session_run(session), NACRE_OK);
      expectOutput(output());
      // The loop walked the rows, and the state lives from run to run.
      for (int64_t c = 0; c < kColumns; ++c)
        ASSERT_EQ(sum()[c], toySum(c, run));
    }
    nacre_session_destroy(session);
    session = nullptr;
  }
}

TEST_F(SessionTest, TakesOneBlockOfTheSizeForetold) {
  options.threads = 3;
  nacre_memory_info foretold;
  ASSERT_EQ(nacre_session_memory(toy.model(), &options, &foretold), NACRE_OK);
  ASSERT_EQ(create(3), NACRE_OK);
  EXPECT_EQ(memory.allocations, 1u);
  EXPECT_EQ(memory.lastBytes, foretold.block_bytes);
  EXPECT_EQ(foretold.threads, 3u);
  EXPECT_EQ(foretold.arena_bytes, toy.entries[0].arena_bytes);
  EXPECT_EQ(foretold.scratch_bytes, 3 * 192u); // 48 floats, a multiple of 64 bytes already
  EXPECT_EQ(foretold.input_bytes, kRows * kColumns * sizeof(float));
}

TEST_F(SessionTest, LeavesRegionsAlignedAndApart) {
  ASSERT_EQ(create(2), NACRE_OK);
  for (float *data : {input(), output(), sum()})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % NACRE_ALIGNMENT, 0u);
  fill(input());
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    ASSERT_EQ(input()[i], toyInput(i)) << "a run wrote into its input";
}

TEST_F(SessionTest, UsesBoundBuffersInPlace) {
  ASSERT_EQ(create(2), NACRE_OK);
  struct alignas(NACRE_ALIGNMENT) Aligned {
    float values[kRows * kColumns + 16];
  };
  std::vector<Aligned> mine(2);
  float *own = output();
  fill(mine[0].values);
  ASSERT_EQ(nacre_session_bind_input(session, 0, mine[0].values), NACRE_OK);
  ASSERT_EQ(nacre_session_bind_output(session, 0, mine[1].values), NACRE_OK);
  EXPECT_EQ(output(), mine[1].values);
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  expectOutput(mine[1].values);

  EXPECT_EQ(nacre_session_bind_output(session, 0, mine[1].values + 1), NACRE_BAD_ARGUMENT);
  EXPECT_NE(std::string(nacre_session_reason(session)).find("must be aligned to 64 bytes"), std::string::npos);
  EXPECT_EQ(output(), mine[1].values) << "a refused call changed something";
  ASSERT_EQ(nacre_session_bind_output(session, 0, nullptr), NACRE_OK);
  EXPECT_EQ(output(), own);
}

TEST_F(SessionTest, RefusesOutputsThatOverlap) {
  ASSERT_EQ(create(2), NACRE_OK);
  constexpr size_t kBytes = kRows * kColumns * sizeof(float);
  alignas(NACRE_ALIGNMENT) static char memory[3 * kBytes];
  char *const before = memory, *const middle = memory + kBytes;
  void *const own = output();
  fill(reinterpret_cast<float *>(middle));
  ASSERT_EQ(nacre_session_bind_input(session, 0, middle), NACRE_OK);
  for (char *y : {middle, middle - NACRE_ALIGNMENT, before + NACRE_ALIGNMENT, middle + kBytes - NACRE_ALIGNMENT}) {
    const std::vector<char> untouched(memory, memory + sizeof memory);
    ASSERT_EQ(nacre_session_bind_output(session, 0, y), NACRE_OK);
    for (int time = 0; time < 2; ++time) { // until it is mended, not once
      EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT) << y - middle;
      EXPECT_STREQ(nacre_session_reason(session),
                   "the buffer of output 0 must not overlap that of input 0; bind another");
    }
    EXPECT_EQ(memcmp(memory, untouched.data(), sizeof memory), 0) << "something was computed";
  }
  // Side by side is apart.
  for (char *y : {before, middle + kBytes}) {
    ASSERT_EQ(nacre_session_bind_output(session, 0, y), NACRE_OK);
    ASSERT_EQ(nacre_session_run(session), NACRE_OK) << nacre_session_reason(session);
    expectOutput(reinterpret_cast<float *>(y));
  }
  ASSERT_EQ(nacre_session_bind_output(session, 1, middle + kBytes + kBytes - kColumns * sizeof(float)), NACRE_OK);
  EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_session_reason(session), "the buffer of output 1 must not overlap that of output 0; bind another");
  // The session's own buffers count too.
  ASSERT_EQ(nacre_session_bind_output(session, 1, nullptr), NACRE_OK);
  ASSERT_EQ(nacre_session_bind_output(session, 0, nullptr), NACRE_OK);
  ASSERT_EQ(nacre_session_bind_input(session, 0, own), NACRE_OK);
  EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT);
}

TEST_F(SessionTest, LetsTheAppExchangeTwoBuffers) { // though they overlap between the two calls
  ASSERT_EQ(create(2), NACRE_OK);
  struct alignas(NACRE_ALIGNMENT) Aligned {
    float values[kRows * kColumns];
  };
  std::vector<Aligned> mine(2);
  for (int iteration = 0; iteration < 4; ++iteration) {
    float *const x = mine[iteration % 2].values, *const y = mine[1 - iteration % 2].values;
    fill(x);
    ASSERT_EQ(nacre_session_bind_input(session, 0, x), NACRE_OK);
    ASSERT_EQ(nacre_session_bind_output(session, 0, y), NACRE_OK);
    ASSERT_EQ(nacre_session_run(session), NACRE_OK) << nacre_session_reason(session);
    expectOutput(y);
  }
}

TEST_F(SessionTest, NamesWhatItDoesNotHave) {
  ASSERT_EQ(create(1), NACRE_OK);
  EXPECT_STREQ(nacre_session_reason(session), "");
  void *data = this;
  EXPECT_EQ(nacre_session_input(session, 1, &data), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_session_reason(session), "input must be below 1, but is 1");
  EXPECT_EQ(nacre_session_output_named(session, "z", &data), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_session_reason(session), "the model must have an output 'z', but does not");
  EXPECT_EQ(data, this) << "an out-parameter was touched";
}

TEST_F(SessionTest, RunsTheEntryAskedFor) {
  options.entry = "second"; // stops before the loop
  ASSERT_EQ(create(2), NACRE_OK);
  fill(input());
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  expectOutput(output());
  nacre_session_destroy(session);
  session = nullptr;
  options.entry = "third";
  EXPECT_EQ(create(2), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason, "entry must be one of the model's, but is 'third'");
}

TEST_F(SessionTest, TimesLaunchesWhenAsked) {
  options.profile = 1;
  ASSERT_EQ(create(2), NACRE_OK);
  nacre_launch_time time;
  EXPECT_EQ(nacre_session_launch_time(session, 0, &time), NACRE_BAD_ARGUMENT); // no run yet
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  uint64_t before = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    ASSERT_EQ(nacre_session_launch_time(session, i, &time), NACRE_OK);
    EXPECT_EQ(time.executions, i == 2 ? uint64_t(kRows) : 1u); // launch 2 is the one in the loop
    EXPECT_GE(time.begin, before);
    before = time.begin;
  }
  EXPECT_EQ(nacre_session_launch_time(session, 4, &time), NACRE_BAD_ARGUMENT);
}

TEST_F(SessionTest, TellsTheLog) {
  std::vector<std::string> said;
  options.log = [](void *user, nacre_log_level level, const char *message) {
    static_cast<std::vector<std::string> *>(user)->push_back((level == NACRE_LOG_ERROR ? "error: " : "") +
                                                             std::string(message));
  };
  options.log_user = &said;
  ASSERT_EQ(create(2), NACRE_OK);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].rfind("toy: 2 threads, ", 0), 0u);
  EXPECT_EQ(nacre_session_bind_input(session, 7, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(said.back(), "error: input must be below 1, but is 7");
}

// One pool, four models' worth of sessions, four app threads at once: each launch has the pool or its own thread alone.
TEST_F(SessionTest, SharesAnExecutorAmongThreads) {
  nacre_executor *executor = nullptr;
  ASSERT_EQ(nacre_executor_create(toy.model(), 3, nullptr, &executor), NACRE_OK);
  const auto use = [&](nacre_executor *shared) {
    nacre_session_options mine = nacre_session_options_default();
    mine.executor = shared;
    mine.threads = 2;
    nacre_session *own = nullptr;
    ASSERT_EQ(nacre_session_create(toy.model(), &mine, &own), NACRE_OK);
    void *x = nullptr, *y = nullptr;
    ASSERT_EQ(nacre_session_input(own, 0, &x), NACRE_OK);
    ASSERT_EQ(nacre_session_output(own, 0, &y), NACRE_OK);
    fill(static_cast<float *>(x));
    for (int run = 0; run < 200; ++run) {
      ASSERT_EQ(nacre_session_run(own), NACRE_OK);
      expectOutput(static_cast<float *>(y));
    }
    nacre_session_destroy(own);
  };
  std::vector<std::thread> apps;
  for (int i = 0; i < 4; ++i)
    apps.emplace_back(use, i == 3 ? nullptr : executor); // the last has threads of its own
  for (std::thread &app : apps)
    app.join();
  nacre_executor_destroy(toy.model(), executor);
}

TEST_F(SessionTest, RunsOnAnExecutorOfTheApp) {
  // Two "threads" that are one: it hands out the parts in reverse, under alternating numbers.
  nacre_executor mine = {sizeof mine, 2,
                         [](nacre_executor *, nacre_task task, void *context, int64_t units, int64_t grain) {
                           uint32_t thread = 0;
                           for (int64_t part = (units - 1) / grain; part >= 0; --part, thread ^= 1)
                             task(context, thread, part * grain, std::min(units, (part + 1) * grain));
                         }};
  options.executor = &mine;
  ASSERT_EQ(create(0), NACRE_OK);
  fill(input());
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  expectOutput(output());
}

} // namespace
} // namespace nacre::test
