// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  bound buffers that overlap are found, however many there are.
// Why:   a run sorts them instead of comparing all pairs, and an output that is written where something else is read is
//        wrong numbers.
// How:   the toy model with many ports and no steps; its buffers at random places, and a comparison of all pairs.

#include "test/runtime/ToyModel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace nacre::test {
namespace {

struct ManyPorts : ToyModel {
  ManyPorts(uint32_t inputCount, uint32_t outputCount, uint64_t bytes)
      : manyInputs(inputCount, inputs[0]), manyOutputs(outputCount, outputs[1]) {
    for (auto *ports : {&manyInputs, &manyOutputs})
      for (nacre_tensor &port : *ports)
        port.bytes = bytes;
    entries[0].inputs = manyInputs.data();
    entries[0].input_count = inputCount;
    entries[0].outputs = manyOutputs.data();
    entries[0].output_count = outputCount;
    entries[0].step_count = 0;
    table.entry_count = 1;
  }

  std::vector<nacre_tensor> manyInputs, manyOutputs;
};

struct Range {
  size_t begin, bytes;
};

bool overlap(Range a, Range b) {
  return a.bytes && b.bytes && a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

/// Returns whether an output lies where another port does.
bool isRefused(const std::vector<Range> &inputs, const std::vector<Range> &outputs) {
  for (size_t output = 0; output < outputs.size(); ++output) {
    for (size_t other = 0; other < output; ++other)
      if (overlap(outputs[output], outputs[other]))
        return true;
    for (Range input : inputs)
      if (overlap(outputs[output], input))
        return true;
  }
  return false;
}

} // namespace

TEST(BoundBuffers, OverlapsOfAnyPortsAreFound) {
  std::mt19937 random(1);
  alignas(NACRE_ALIGNMENT) static char memory[NACRE_ALIGNMENT * 256];
  unsigned refused = 0, accepted = 0;
  for (unsigned attempt = 0; attempt < 3000; ++attempt) {
    // A third of the ports are empty, and inputs overlap one another often.
    const uint32_t inputs = 1 + random() % 6, outputs = 1 + random() % 6;
    ManyPorts toy(inputs, outputs, 0);
    auto place = [&](std::vector<nacre_tensor> &ports, unsigned longest) {
      std::vector<Range> places;
      for (nacre_tensor &port : ports) {
        port.bytes = random() % 3 ? (1 + random() % longest) * NACRE_ALIGNMENT : 0;
        places.push_back({random() % 128 * NACRE_ALIGNMENT, port.bytes});
      }
      return places;
    };
    const std::vector<Range> inputPlaces = place(toy.manyInputs, 40), outputPlaces = place(toy.manyOutputs, 8);
    nacre_session_options options = nacre_session_options_default();
    options.threads = 1;
    nacre_session *session = nullptr;
    ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
    for (uint32_t i = 0; i < inputs; ++i)
      ASSERT_EQ(nacre_session_bind_input(session, i, memory + inputPlaces[i].begin), NACRE_OK);
    for (uint32_t i = 0; i < outputs; ++i)
      ASSERT_EQ(nacre_session_bind_output(session, i, memory + outputPlaces[i].begin), NACRE_OK);
    const bool expected = isRefused(inputPlaces, outputPlaces);
    EXPECT_EQ(nacre_session_run(session), expected ? NACRE_BAD_ARGUMENT : NACRE_OK) << nacre_session_reason(session);
    if (expected) {
      EXPECT_NE(std::string(nacre_session_reason(session)).find("must not overlap that of "), std::string::npos);
    }
    (expected ? refused : accepted) += 1;
    nacre_session_destroy(session);
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(accepted, 500u);
}

// Comparing all pairs would take a minute.
TEST(BoundBuffers, ManyPortsAreSorted) {
  constexpr uint32_t count = 100000;
  ManyPorts toy(count, count, NACRE_ALIGNMENT);
  std::vector<uint32_t> order(2 * count);
  for (uint32_t i = 0; i < 2 * count; ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  struct alignas(NACRE_ALIGNMENT) Line {
    char bytes[NACRE_ALIGNMENT];
  };
  std::vector<Line> memory(2 * count);
  nacre_session_options options = nacre_session_options_default();
  options.threads = 1;
  nacre_session *session = nullptr;
  ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
  for (uint32_t i = 0; i < count; ++i) {
    ASSERT_EQ(nacre_session_bind_input(session, i, &memory[order[i]]), NACRE_OK);
    ASSERT_EQ(nacre_session_bind_output(session, i, &memory[order[count + i]]), NACRE_OK);
  }
  EXPECT_EQ(nacre_session_run(session), NACRE_OK) << nacre_session_reason(session);
  ASSERT_EQ(nacre_session_bind_output(session, 77, &memory[order[33]]), NACRE_OK);
  EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(nacre_session_reason(session),
               "the buffer of output 77 must not overlap that of input 33; bind another");
  nacre_session_destroy(session);
}

} // namespace nacre::test
