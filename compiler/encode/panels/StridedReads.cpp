// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/panels/StridedReads.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

namespace nacre::encode {

namespace {

/// Digit of a number in mixed radix.
struct Digit {
  int64_t size = 1, weight = 1;
};

/// Returns the index of the digit that a step of `stride` changes. The digit with the largest weight has index 0.
/// Returns `nullopt` if the step changes several digits.
std::optional<size_t> digitOf(llvm::ArrayRef<Digit> digits, int64_t stride) {
  for (auto [number, digit] : llvm::enumerate(digits))
    if (digit.weight <= std::abs(stride))
      return stride % digit.weight == 0 ? std::optional<size_t>(number) : std::nullopt;
  return std::nullopt;
}

/// Returns `read` as an address in digits, largest weight first. Returns `nullopt` if a loop carries or leaves the
/// range.
std::optional<llvm::SmallVector<AxisSteps>> byDigits(const StridedRead &read, llvm::ArrayRef<Digit> digits) {
  llvm::SmallVector<AxisSteps> result;
  int64_t rest = read.offset;
  for (const Digit &digit : digits) {
    result.push_back({rest / digit.weight, llvm::SmallVector<int64_t>(read.loops.size(), 0)});
    rest %= digit.weight;
  }
  if (rest != 0)
    return std::nullopt;
  llvm::SmallVector<int64_t> lowest, highest;
  for (const AxisSteps &steps : result) {
    lowest.push_back(steps.start);
    highest.push_back(steps.start);
  }
  for (auto [number, loop] : llvm::enumerate(read.loops)) {
    if (loop.size == 1 || loop.stride == 0)
      continue;
    const std::optional<size_t> along = digitOf(digits, loop.stride);
    if (!along)
      return std::nullopt;
    const int64_t step = loop.stride / digits[*along].weight;
    result[*along].steps[number] = step;
    (step < 0 ? lowest : highest)[*along] += step * (loop.size - 1);
  }
  for (auto [digit, low, high] : llvm::zip_equal(digits, lowest, highest))
    if (low < 0 || high >= digit.size)
      return std::nullopt;
  return result;
}

} // namespace

std::optional<StridedRead> readThrough(const StridedRead &reader, Movement movement, int64_t elements) {
  llvm::erase_if(movement.loops, [](const MovedLoop &loop) { return loop.size == 1; });
  llvm::sort(movement.loops, [](const MovedLoop &a, const MovedLoop &b) { return a.written > b.written; });
  llvm::SmallVector<Digit> digits;
  int64_t weight = 1;
  for (const MovedLoop &loop : llvm::reverse(movement.loops)) {
    if (loop.written != weight)
      return std::nullopt;
    digits.insert(digits.begin(), {loop.size, weight});
    weight *= loop.size;
  }
  if (weight != elements)
    return std::nullopt;
  std::optional<llvm::SmallVector<AxisSteps>> steps = byDigits(reader, digits);
  if (!steps)
    return std::nullopt;
  StridedRead result{movement.offset, {}};
  for (const StridedLoop &loop : reader.loops)
    result.loops.push_back({loop.size, 0});
  for (auto [axis, moved] : llvm::zip_equal(*steps, movement.loops)) {
    result.offset += axis.start * moved.read;
    for (auto [loop, step] : llvm::zip_equal(result.loops, axis.steps))
      loop.stride += step * moved.read;
  }
  return result;
}

std::optional<llvm::SmallVector<AxisSteps>> byAxes(const StridedRead &read, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<Digit> digits(shape.size());
  int64_t weight = 1;
  for (size_t axis = shape.size(); axis-- > 0; weight *= shape[axis])
    digits[axis] = {shape[axis], weight};
  // Axes of size 1 are skipped, because they have the same weight as the next inner axis.
  llvm::SmallVector<Digit> longer;
  llvm::copy_if(digits, std::back_inserter(longer), [](const Digit &digit) { return digit.size != 1; });
  std::optional<llvm::SmallVector<AxisSteps>> steps = byDigits(read, longer);
  if (!steps)
    return std::nullopt;
  llvm::SmallVector<AxisSteps> result;
  size_t next = 0;
  for (const Digit &digit : digits)
    result.push_back(digit.size == 1 ? AxisSteps{0, llvm::SmallVector<int64_t>(read.loops.size(), 0)}
                                     : (*steps)[next++]);
  return result;
}

} // namespace nacre::encode
