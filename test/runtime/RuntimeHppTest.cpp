// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the C++ owners: moved, replaced, refused.
// Why:   a session destroyed twice or never is what they are there to prevent (asan sees it).
// How:   the hand-made model.

#include "runtime/include/nacre/runtime.hpp"
#include "test/runtime/ToyModel.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace nacre::test {
namespace {

TEST(RuntimeHpp, RunsAndMoves) {
  ToyModel toy;
  Executor executor;
  ASSERT_EQ(executor.create(*toy.model(), 2), NACRE_OK);
  nacre_session_options options = nacre_session_options_default();
  options.executor = executor.get();
  Session session;
  EXPECT_FALSE(session);
  EXPECT_STREQ(session.reason(), "");
  ASSERT_EQ(session.create(*toy.model(), options), NACRE_OK);
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    session.input<float>("x")[i] = toyInput(i);
  Session moved = std::move(session);
  ASSERT_EQ(moved.run(), NACRE_OK);
  EXPECT_EQ(moved.cancel(), NACRE_BAD_ARGUMENT) << "no run is in progress";
  EXPECT_EQ(moved.output<float>("y")[1], toyOutput(1));
  EXPECT_EQ(moved.output<float>(1u), moved.output<float>("sum"));
  ASSERT_EQ(moved.create(*toy.model()), NACRE_OK) << "a session may be replaced";
}

TEST(RuntimeHpp, GivesNoElementsOfAnotherType) {
  ToyModel toy;
  Session session;
  EXPECT_EQ(session.input<float>("x"), nullptr);
  EXPECT_STREQ(session.reason(), "there is no session; call create first");
  ASSERT_EQ(session.create(*toy.model()), NACRE_OK);
  EXPECT_STREQ(session.reason(), "");
  EXPECT_EQ(session.input<int32_t>("x"), nullptr);
  EXPECT_STREQ(session.reason(), "input 'x' holds elements of float, but int32_t was asked for");
  EXPECT_TRUE(session.input<int32_t>(0u).empty());
  EXPECT_EQ(session.input<float>("z"), nullptr);
  EXPECT_STREQ(session.reason(), "the entry has no input 'z'");
  EXPECT_EQ(session.output<float>(2u), nullptr);
  EXPECT_STREQ(session.reason(), "the entry has no output number 2");
  EXPECT_NE(session.output<float>("y"), nullptr);
  EXPECT_STREQ(session.reason(), "the entry has no output number 2") << "the latest failure";
  EXPECT_EQ(session.bind_input(7, nullptr), NACRE_BAD_ARGUMENT);
  const std::string reason = session.reason();
  EXPECT_EQ(reason.find("the entry has no output"), std::string::npos) << reason;
  EXPECT_EQ(session.output<double>("y"), nullptr);
  EXPECT_STREQ(session.reason(), "output 'y' holds elements of float, but double was asked for");
}

TEST(RuntimeHpp, UsesTheEntryForAShape) {
  ToyModel toy;
  toy.entries[0].name = toy.table.name; // "toy": `second` does not differ from it only in sizes.
  const int64_t shape[] = {kRows, 1}, larger[] = {kRows + 1, 1};
  Session session;
  EXPECT_EQ(session.use_for("x", shape, 2), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(session.reason(), "there is no session; call create first");
  nacre_session_options options = nacre_session_options_default();
  options.all_entries = 1;
  ASSERT_EQ(session.create(*toy.model(), options), NACRE_OK);
  EXPECT_EQ(session.use_for("x", shape, 2), NACRE_OK);
  EXPECT_EQ(session.use_for("x", larger, 2), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(session.reason(), "no entry is large enough for 'x'");
  ASSERT_EQ(session.use("second"), NACRE_OK);
  EXPECT_EQ(session.use_for(nullptr, larger, 2), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(session.reason(), "no entry is large enough for 'the first input'");
}

TEST(RuntimeHpp, SpansAreWalkedAndArePointers) {
  ToyModel toy;
  Session session;
  ASSERT_EQ(session.create(*toy.model()), NACRE_OK);
  const Span<float> x = session.input<float>("x");
  ASSERT_EQ(x.size(), size_t(kRows * kColumns));
  int64_t at = 0;
  for (float &element : x)
    element = toyInput(at++);
  EXPECT_EQ(x.end() - x.begin(), kRows * kColumns);
  EXPECT_EQ(x[3], toyInput(3));
  EXPECT_EQ(*(x + kColumns), toyInput(kColumns));
  float *pointer = session.input<float>(0u);
  EXPECT_EQ(pointer, x.data());
  EXPECT_FALSE(session.input<int8_t>("x") ? true : false);
}

TEST(RuntimeHpp, SharesAState) {
  ToyModel toy;
  State state;
  EXPECT_STREQ(state.reason(), "");
  ASSERT_EQ(state.create(*toy.model()), NACRE_OK);
  ASSERT_EQ(state.create(*toy.model()), NACRE_OK) << "a state may be replaced";
  nacre_session_options options = nacre_session_options_default();
  options.state = state.get();
  Session session;
  ASSERT_EQ(session.create(*toy.model(), options), NACRE_OK);
  EXPECT_EQ(session.state(), state.get());
  EXPECT_EQ(state.load("nowhere"), NACRE_FAILED);
  EXPECT_EQ(state.save("nowhere/at/all"), NACRE_FAILED);
  EXPECT_STREQ(state.reason(), "the file cannot be written: no such file or folder");
}

TEST(RuntimeHpp, SaysWhyCreateFailed) {
  ToyModel toy;
  nacre_session_options options = nacre_session_options_default();
  options.entry = "third";
  Session session;
  EXPECT_EQ(session.create(*toy.model(), options), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(session.reason(), "entry must be one of the model's, but is 'third'");
}

} // namespace
} // namespace nacre::test
