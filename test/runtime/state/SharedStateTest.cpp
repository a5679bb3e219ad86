// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  states that sessions share: one goes on where another ended, and none gets in another's way; and models that
//        have none.
// Why:   a training with weights of two different steps learns nothing, and gives no error.
// How:   the toy model, run by threads, and by the executor of a run that is under way.

#include "test/runtime/RuntimeSlots.h"
#include "test/runtime/ToyModel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace nacre::test {
namespace {

/// Sessions of the toy itself, of which a run adds the same to `total`.
class SharedStateTest : public testing::Test {
protected:
  SharedStateTest() { EXPECT_EQ(nacre_state_create(toy.model(), nullptr, &state), NACRE_OK); }
  ~SharedStateTest() override { nacre_state_destroy(state); }

  nacre_session *makeSession() {
    nacre_session_options options = nacre_session_options_default();
    options.threads = 1;
    options.state = state;
    nacre_session *session = nullptr;
    EXPECT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
    void *x = nullptr;
    nacre_session_input(session, 0, &x);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      static_cast<float *>(x)[i] = toyInput(i);
    return session;
  }
  void expectAfter(int runs) {
    float total[kColumns];
    ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(total[c], toySum(c, runs));
  }

  ToyModel toy;
  nacre_state *state = nullptr;
};

TEST_F(SharedStateTest, SessionsGoOnWhereOthersEnded) {
  nacre_session *first = makeSession(), *second = makeSession();
  nacre_state *seen = nullptr;
  ASSERT_EQ(nacre_session_state(second, &seen), NACRE_OK);
  EXPECT_EQ(seen, state);
  for (int runs = 0; runs < 4; ++runs) {
    expectAfter(runs);
    ASSERT_EQ(nacre_session_run(runs % 2 ? first : second), NACRE_OK);
  }
  nacre_session_destroy(first);
  nacre_session_destroy(second);
  expectAfter(4);
  nacre_memory_info shared, own;
  nacre_session_options options = nacre_session_options_default();
  ASSERT_EQ(nacre_session_memory(toy.model(), &options, &own), NACRE_OK);
  options.state = state;
  ASSERT_EQ(nacre_session_memory(toy.model(), &options, &shared), NACRE_OK);
  EXPECT_EQ(shared.state_bytes, 0u);
  EXPECT_EQ(own.state_bytes, toy.table.state_bytes);
}

TEST_F(SharedStateTest, IsInOneRunAtATime) {
  std::atomic<int> done{0}, refused{0};
  const auto body = [&] {
    nacre_session *session = makeSession();
    for (int iteration = 0; iteration < 300; ++iteration)
      if (nacre_session_run(session) == NACRE_OK)
        ++done;
      else if (++refused, std::string(nacre_session_reason(session)).find("is in use") == std::string::npos)
        ADD_FAILURE() << nacre_session_reason(session);
    nacre_session_destroy(session);
  };
  std::thread threads[] = {std::thread(body), std::thread(body), std::thread(body)};
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(done + refused, 900);
  expectAfter(done); // whole runs, each once
}

TEST_F(SharedStateTest, IsRefusedWhileARunHasIt) {
  struct Meeting {
    nacre_executor executor = {sizeof(nacre_executor), 2, meet};
    nacre_state *state = nullptr;
    nacre_session *second = nullptr;
    int met = 0;
    static void meet(nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t) {
      auto &self = *reinterpret_cast<Meeting *>(executor);
      nacre_state *state = self.state;
      float total[kColumns];
      uint32_t index = 0;
      EXPECT_EQ(nacre_session_run(self.second), NACRE_BAD_ARGUMENT);
      EXPECT_STREQ(nacre_session_reason(self.second),
                   "the session's state is in use by another run or call; wait for it");
      EXPECT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_BAD_ARGUMENT);
      EXPECT_EQ(nacre_state_write(state, 0, total, sizeof total), NACRE_BAD_ARGUMENT);
      EXPECT_EQ(nacre_state_reset(state, NACRE_STATE_ALL), NACRE_BAD_ARGUMENT);
      EXPECT_EQ(nacre_state_find(state, "total", &index), NACRE_BAD_ARGUMENT);
      EXPECT_EQ(nacre_state_save(state, "nowhere", NACRE_STATE_ALL), NACRE_BAD_ARGUMENT);
      EXPECT_EQ(nacre_state_load(state, "nowhere", NACRE_STATE_ALL), NACRE_BAD_ARGUMENT);
      EXPECT_STREQ(nacre_state_reason(state), "the state is in use by a run or another call; wait, or copy it");
      ++self.met;
      task(context, 0, 0, units);
    }
  } meeting;
  meeting.state = state;
  meeting.second = makeSession();
  nacre_session_options options = nacre_session_options_default();
  options.state = state;
  options.executor = &meeting.executor;
  nacre_session *first = nullptr;
  ASSERT_EQ(nacre_session_create(toy.model(), &options, &first), NACRE_OK);
  EXPECT_EQ(nacre_session_run(first), NACRE_OK);
  EXPECT_GT(meeting.met, 0);
  EXPECT_EQ(nacre_session_run(meeting.second), NACRE_OK);
  nacre_session_destroy(first);
  nacre_session_destroy(meeting.second);
}

TEST(NoState, IsSaid) {
  ToyModel toy;
  toy.table.head.functions = &kSlots<false>.functions;
  char reason[64] = "";
  nacre_session_options options = nacre_session_options_default();
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *session = nullptr;
  nacre_state *state = nullptr;
  EXPECT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_UNSUPPORTED); // its table has a variable
  toy.table.variable_count = 0;
  toy.entries[1].step_count = 2; // of the second entry, which touches no state
  options.entry = "second";
  EXPECT_EQ(nacre_state_create(toy.model(), &options, &state), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason, "the model has no state");
  ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK) << reason;
  EXPECT_EQ(nacre_session_run(session), NACRE_OK);
  ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
  EXPECT_EQ(nacre_state_reset(state, NACRE_STATE_ALL), NACRE_OK);
  EXPECT_EQ(nacre_state_save(state, "nowhere", NACRE_STATE_ALL), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_state_reason(state), "the model has no state");
  nacre_session_destroy(session);
}

} // namespace
} // namespace nacre::test
