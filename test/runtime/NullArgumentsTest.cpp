// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  pointers that are NULL where the headers say that an error answers them.
// Why:   an app that is wrong should get a status, not a crash.
// How:   each call that has a result.

#include "test/runtime/ToyModel.h"

#include <gtest/gtest.h>

namespace nacre::test {
namespace {

TEST(NullArguments, AreRefusedAsResults) {
  ToyModel toy;
  nacre_session *session = nullptr;
  const nacre_session_options options = nacre_session_options_default();
  EXPECT_EQ(nacre_session_create(toy.model(), &options, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_memory(toy.model(), &options, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_executor_create(toy.model(), 1, nullptr, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_state_create(toy.model(), &options, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_model_describe(toy.model(), nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_entry_describe(toy.model(), 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_input_describe(toy.model(), 0, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_output_describe(toy.model(), 0, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_launch_describe(toy.model(), 0, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_device_describe(toy.model(), 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_state_describe(toy.model(), 0, nullptr), NACRE_BAD_ARGUMENT);
  ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
  nacre_state *state = nullptr;
  uint32_t index = 0;
  ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
  EXPECT_EQ(nacre_session_state(session, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_state_find(state, "total", nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_state_find(state, nullptr, &index), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_state_read(state, 0, nullptr, kColumns * sizeof(float)), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_input(session, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_output(session, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_find_input(session, "x", nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_find_output(session, nullptr, &index), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_output_dims(session, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_launch_time(session, 0, nullptr), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_session_describe(session, nullptr), NACRE_BAD_ARGUMENT);
  nacre_session_destroy(session);
}

TEST(NullArguments, AreRefusedAsAnExecutorsFunction) {
  ToyModel toy;
  nacre_session *session = nullptr;
  nacre_session_options options = nacre_session_options_default();
  char reason[256] = "";
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_executor executor = {sizeof executor, 2, nullptr};
  options.executor = &executor;
  EXPECT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason, "the executor must have a struct_size, a function `run` and at least one thread");
}

} // namespace
} // namespace nacre::test
