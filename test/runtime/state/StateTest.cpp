// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a session remembers from run to run, as an app resets, reads and writes it.
// Why:   a sequence must begin where the app says, and a wrong call must change nothing.
// How:   the toy model, whose accumulator `total` grows by the same sum in each run.

#include "test/runtime/ToyModel.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace nacre::test {
namespace {

class StateTest : public testing::Test {
protected:
  void SetUp() override {
    options.threads = 1;
    ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
    ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
    void *x = nullptr;
    ASSERT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      static_cast<float *>(x)[i] = toyInput(i);
  }
  ~StateTest() override { nacre_session_destroy(session); }

  /// Returns whether the next run is the one after `runs` others.
  void expectAfter(int runs) {
    float total[kColumns];
    ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(total[c], toySum(c, runs));
    ASSERT_EQ(nacre_session_run(session), NACRE_OK);
    void *sum = nullptr;
    ASSERT_EQ(nacre_session_output(session, 1, &sum), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(static_cast<float *>(sum)[c], toySum(c, runs + 1));
  }

  ToyModel toy;
  nacre_session_options options = nacre_session_options_default();
  nacre_session *session = nullptr;
  nacre_state *state = nullptr;
};

TEST_F(StateTest, IsDescribed) {
  nacre_model_info model;
  ASSERT_EQ(nacre_model_describe(toy.model(), &model), NACRE_OK);
  EXPECT_EQ(model.variable_count, 1u);
  nacre_state_info info;
  ASSERT_EQ(nacre_state_describe(toy.model(), 0, &info), NACRE_OK);
  EXPECT_STREQ(info.name, "total");
  EXPECT_EQ(info.type, NACRE_F32);
  ASSERT_EQ(info.rank, 1u);
  EXPECT_EQ(info.dims[0], kColumns);
  EXPECT_EQ(info.bytes, kColumns * sizeof(float));
  EXPECT_EQ(info.role, NACRE_STATE_RECURRENT);
  EXPECT_EQ(nacre_state_describe(toy.model(), 1, &info), NACRE_BAD_ARGUMENT);
  uint32_t index = 7;
  EXPECT_EQ(nacre_state_find(state, "total", &index), NACRE_OK);
  EXPECT_EQ(index, 0u);
}

TEST_F(StateTest, IsZeroAtFirstAndGoesOn) {
  for (int runs = 0; runs < 3; ++runs)
    expectAfter(runs);
}

TEST_F(StateTest, BeginsAnewWhereItIsReset) {
  expectAfter(0);
  expectAfter(1);
  ASSERT_EQ(nacre_state_reset(state, NACRE_STATE_RECURRENT), NACRE_OK);
  expectAfter(0);
  ASSERT_EQ(nacre_state_reset(state, NACRE_STATE_ALL & ~NACRE_STATE_RECURRENT), NACRE_OK);
  expectAfter(1); // it is of none of these roles
}

TEST_F(StateTest, GoesOnFromWhatIsWritten) {
  float total[kColumns];
  for (int64_t c = 0; c < kColumns; ++c)
    total[c] = toySum(c, 11);
  ASSERT_EQ(nacre_state_write(state, 0, total, sizeof total), NACRE_OK);
  expectAfter(11);
  expectAfter(12);
}

TEST_F(StateTest, BeginsAsAWeightSays) {
  toy.variables[0].initial = 1;
  nacre_session *other = nullptr;
  ASSERT_EQ(nacre_session_create(toy.model(), &options, &other), NACRE_OK);
  nacre_state *started = nullptr;
  ASSERT_EQ(nacre_session_state(other, &started), NACRE_OK);
  float total[kColumns];
  ASSERT_EQ(nacre_state_read(started, 0, total, sizeof total), NACRE_OK);
  EXPECT_TRUE(std::equal(total, total + kColumns, toy.scale));
  std::memset(total, 0, sizeof total);
  ASSERT_EQ(nacre_state_write(started, 0, total, sizeof total), NACRE_OK);
  ASSERT_EQ(nacre_state_reset(started, NACRE_STATE_RECURRENT), NACRE_OK);
  ASSERT_EQ(nacre_state_read(started, 0, total, sizeof total), NACRE_OK);
  EXPECT_TRUE(std::equal(total, total + kColumns, toy.scale));
  nacre_session_destroy(other);
}

/// An input that names classes; of 32 and of 64 bits.
TEST_F(StateTest, LabelsThatAreNoClassesAreRefused) {
  std::vector<int64_t> dims(toy.table.dims, toy.table.dims + toy.table.dim_count);
  toy.inputs[0].first_count = uint32_t(dims.size());
  dims.insert(dims.end(), {5, -100}); // classes, and what is ignored
  toy.table.dims = dims.data();
  void *input = nullptr;
  ASSERT_EQ(nacre_session_input(session, 0, &input), NACRE_OK);
  const auto test = [&](auto first, uint32_t type) {
    toy.inputs[0].element_type = type;
    using Label = decltype(first);
    auto *labels = static_cast<Label *>(input);
    const size_t count = toy.inputs[0].bytes / sizeof *labels;
    std::fill(labels, labels + count, Label(0));
    labels[1] = 4;
    labels[count - 1] = -100;
    float before[kColumns], after[kColumns];
    ASSERT_EQ(nacre_session_run(session), NACRE_OK) << nacre_session_reason(session);
    ASSERT_EQ(nacre_state_read(state, 0, before, sizeof before), NACRE_OK);
    for (Label wrong : {Label(5), Label(-1), std::numeric_limits<Label>::max(), std::numeric_limits<Label>::min()})
      for (size_t at : {size_t(0), count - 1}) {
        const Label right = labels[at];
        labels[at] = wrong;
        EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT);
        EXPECT_EQ(nacre_session_reason(session),
                  "'x' must be from 0 to 4, but element " + std::to_string(at) + " is not");
        labels[at] = right;
      }
    ASSERT_EQ(nacre_state_read(state, 0, after, sizeof after), NACRE_OK);
    EXPECT_TRUE(std::equal(before, before + kColumns, after));
    EXPECT_EQ(nacre_session_run(session), NACRE_OK); // the session goes on
  };
  test(int32_t(0), NACRE_I32);
  test(int64_t(0), NACRE_I64);
}

/// Their number is no size that a run decides, though outputs keep these in the same member.
TEST_F(StateTest, LabelsHaveNoOpenAxes) {
  std::vector<int64_t> dims(toy.table.dims, toy.table.dims + toy.table.dim_count);
  toy.inputs[0].first_count = uint32_t(dims.size());
  dims.insert(dims.end(), {5, 255}); // classes, and what is ignored
  toy.table.dims = dims.data();
  nacre_tensor_info info;
  ASSERT_EQ(nacre_input_describe(toy.model(), 0, 0, &info), NACRE_OK);
  EXPECT_EQ(info.rank, 2u);
  EXPECT_EQ(info.open_axes, 0u);
}

TEST_F(StateTest, ClassesThatAreNotThereAreRefused) {
  toy.inputs[0].first_count = 0; // an f32 tensor
  nacre_session *other = nullptr;
  EXPECT_EQ(nacre_session_create(toy.model(), nullptr, &other), NACRE_UNSUPPORTED);
  toy.inputs[0].element_type = NACRE_I64;
  toy.inputs[0].first_count = toy.table.dim_count - 1; // the second of the two numbers
  EXPECT_EQ(nacre_session_create(toy.model(), nullptr, &other), NACRE_UNSUPPORTED);
}

TEST_F(StateTest, WrongCallsChangeNothing) {
  expectAfter(0);
  float total[kColumns + 1] = {};
  uint32_t index = 7;
  EXPECT_STREQ(nacre_state_reason(state), "");
  EXPECT_EQ(nacre_state_write(state, 1, total, kColumns * sizeof(float)), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_state_reason(state), "state must be below 1, but is 1");
  EXPECT_EQ(nacre_state_write(state, 0, total, sizeof total), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_state_reason(state), "state must be read and written as a whole, in 192 bytes");
  EXPECT_EQ(nacre_state_read(state, 0, total, 4), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_state_write(state, 1, nullptr, 0), NACRE_BAD_ARGUMENT); // NULL is right where there are no bytes
  EXPECT_STREQ(nacre_state_reason(state), "state must be below 1, but is 1");
  EXPECT_EQ(nacre_state_find(state, "nothing", &index), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_state_reason(state), "the model must have state 'nothing', but does not");
  EXPECT_EQ(index, 7u);
  expectAfter(1);
}

TEST_F(StateTest, BeyondItsBytesIsRefused) {
  char reason[256] = "";
  options.reason = reason;
  options.reason_capacity = sizeof reason;
  nacre_session *other = nullptr;
  for (uint64_t offset : {uint64_t(65), UINT64_MAX}) {
    toy.variables[0].offset = offset;
    EXPECT_EQ(nacre_session_create(toy.model(), &options, &other), NACRE_UNSUPPORTED);
    EXPECT_NE(std::string(reason).find("tables are damaged at state 'total'"), std::string::npos) << reason;
  }
  toy.variables[0].offset = 64;
  toy.variables[0].initial = 2; // there is one weight
  EXPECT_EQ(nacre_session_create(toy.model(), &options, &other), NACRE_UNSUPPORTED);
  toy.variables[0].initial = 1;
  toy.weights[0].bytes = 188;
  EXPECT_EQ(nacre_session_create(toy.model(), &options, &other), NACRE_UNSUPPORTED);
  toy.variables[0].initial = 0;
  toy.variables[0].tensor.bytes = UINT64_MAX;
  EXPECT_EQ(nacre_session_create(toy.model(), &options, &other), NACRE_UNSUPPORTED);
}

} // namespace
} // namespace nacre::test
