// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed convolutions along one axis, against the sum that defines them.

#include "compiler/graph/TransposedPhases.h"
#include "gtest/gtest.h"
#include <random>

using namespace nacre::graph;

namespace {

using Numbers = std::vector<int64_t>;

/// Element i times tap f goes to i * stride + f * dilation - low.
Numbers scatter(const TransposedAxis &axis, const Numbers &x, const Numbers &w) {
  Numbers y(axis.output);
  for (int64_t i = 0; i < axis.input; ++i)
    for (int64_t f = 0; f < axis.kernel; ++f)
      if (int64_t o = i * axis.stride + f * axis.dilation - axis.low; o >= 0 && o < axis.output)
        y[o] += x[i] * w[f];
  return y;
}

int64_t at(const Numbers &x, int64_t index) { return index < 0 || index >= int64_t(x.size()) ? 0 : x[index]; }

/// Computes an ordinary convolution of stride 1; its result must have the size that its pads leave.
Numbers slide(const Numbers &x, const Numbers &w, int64_t dilation, int64_t low, int64_t high, int64_t size) {
  const int64_t taps = w.size();
  EXPECT_EQ(int64_t(x.size()) + low + high - (taps - 1) * dilation, size);
  Numbers y(size);
  for (int64_t o = 0; o < size; ++o)
    for (int64_t f = 0; f < taps; ++f)
      y[o] += at(x, o + f * dilation - low) * w[f];
  return y;
}

Numbers byPhases(const TransposedAxis &axis, const Numbers &x, const Numbers &w) {
  Numbers y(axis.output);
  llvm::SmallVector<Phase> phases = phasesOf(axis);
  EXPECT_EQ(int64_t(phases.size()), axis.stride);
  for (int64_t first = 0; first < axis.stride; ++first) {
    const Phase &phase = phases[first];
    if (phase.taps == 0)
      continue;
    Numbers own;
    for (int64_t tap = 0; tap < phase.taps; ++tap)
      own.push_back(w.at(phase.lastTap - tap * phase.tapStep));
    Numbers part = slide(x, own, phase.dilation, phase.low, phase.high, phase.size);
    for (int64_t k = 0; k < phase.size; ++k)
      y.at(first + k * axis.stride) = part[k];
  }
  return y;
}

Numbers byColumns(const TransposedAxis &axis, const Numbers &x, const Numbers &w) {
  Columns columns = columnsOf(axis);
  Numbers all(columns.size * axis.stride), y;
  for (int64_t column = 0; column < axis.stride; ++column) {
    Numbers own;
    for (int64_t tap = columns.taps - 1; tap >= 0; --tap)
      own.push_back(at(w, tap * axis.stride + column));
    Numbers part = slide(x, own, 1, columns.low, columns.high, columns.size);
    for (int64_t k = 0; k < columns.size; ++k)
      all[k * axis.stride + column] = part[k];
  }
  for (int64_t o = 0; o < axis.output; ++o)
    y.push_back(all.at(columns.skipped + o));
  return y;
}

} // namespace

TEST(TransposedPhases, AreTheTransposedConvolution) {
  std::mt19937 random(1);
  auto draw = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  for (int iteration = 0; iteration < 2000; ++iteration) {
    TransposedAxis axis;
    axis.input = draw(1, 6);
    axis.kernel = draw(1, 7);
    axis.stride = draw(1, 5);
    axis.dilation = draw(1, 3);
    const int64_t reach = (axis.input - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
    axis.low = draw(-2, reach - 1);
    axis.output = draw(1, reach - axis.low + 2);
    Numbers x(axis.input), w(axis.kernel);
    for (Numbers *numbers : {&x, &w})
      for (int64_t &number : *numbers)
        number = draw(-9, 9);
    Numbers expected = scatter(axis, x, w);
    EXPECT_EQ(byPhases(axis, x, w), expected) << iteration;
    if (axis.dilation == 1) {
      EXPECT_EQ(byColumns(axis, x, w), expected) << iteration;
    }
  }
}

// Two phases of two taps each: together they multiply as often as the sum that defines them.
TEST(TransposedPhases, MultiplyByNoZeros) {
  llvm::SmallVector<Phase> phases =
      phasesOf({/*input=*/8, /*output=*/16, /*kernel=*/4, /*stride=*/2, /*dilation=*/1, 1});
  for (const Phase &phase : phases) {
    EXPECT_EQ(phase.taps, 2);
    EXPECT_EQ(phase.size, 8);
    EXPECT_EQ(phase.low + phase.high, 1);
  }
}

TEST(TransposedPhases, ArePreferredWhereChannelsFillRegisters) {
  const TransposedAxis twice = {16, 32, 2, 2, 1, 0}, fourfold = {16, 64, 4, 4, 1, 0},
                       eightfold = {16, 128, 16, 8, 1, 4};
  EXPECT_TRUE(prefersPhases({twice, twice}, 64, 32));
  EXPECT_TRUE(prefersPhases({fourfold, fourfold}, 64, 32));
  // 64 launches; registers of which one lane is used.
  EXPECT_FALSE(prefersPhases({eightfold, eightfold}, 64, 32));
  EXPECT_FALSE(prefersPhases({twice, twice}, 64, 1));
  // A channel of its own each.
  EXPECT_TRUE(prefersPhases({twice, twice}, 1, 1));
}

// A phase without elements, or without taps, is no convolution.
TEST(TransposedPhases, ArePossibleWhereEachHasElementsAndTaps) {
  EXPECT_FALSE(prefersPhases({{2, 1, 2, 2, 1, 1}}, 64, 32));
  EXPECT_FALSE(prefersPhases({{8, 16, 1, 2, 1, 0}}, 64, 32));
  EXPECT_FALSE(prefersPhases({{8, 16, 3, 2, 2, 0}}, 64, 32));
  EXPECT_FALSE(havePhases({{2, 1, 2, 2, 1, 1}}));
  EXPECT_FALSE(havePhases({{8, 16, 1, 2, 1, 0}}));
  EXPECT_FALSE(havePhases({{8, 16, 3, 2, 2, 0}}));
  EXPECT_TRUE(havePhases({{16, 32, 2, 2, 1, 0}}));
}
