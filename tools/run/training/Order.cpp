// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles examples, or reads their order from a file.

#include "tools/run/training/Order.h"
#include "tools/run/session/Random.h"

#include <numeric>

namespace nacre::run {

std::vector<uint32_t> shuffled(uint32_t count, uint64_t seed, uint64_t epoch) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  uint64_t state = seed;
  state = nextRandom(state) ^ epoch;
  for (uint32_t last = count; last > 1; --last) {
    // The high half of the product is almost uniform: the probabilities of places differ by one part in 2^32.
    const uint64_t place = (nextRandom(state) >> 32) * last >> 32;
    std::swap(order[last - 1], order[place]);
  }
  return order;
}

Outcome Order::open(uint32_t count, uint64_t fromSeed, const std::string &path, uint64_t epochs) {
  examples = count;
  seed = fromSeed;
  if (path.empty())
    return std::nullopt;
  if (Outcome failure = readTensor(path, file))
    return failure;
  const TensorView &view = file.view;
  const bool isRow = view.dims.size() == 1;
  if ((view.type != NACRE_I64 && view.type != NACRE_I32) || (!isRow && view.dims.size() != 2) || view.count == 0 ||
      (!isRow && view.dims[0] < static_cast<int64_t>(epochs)))
    return usageFailure("--order must be i64[examples], or i64[" + std::to_string(epochs) +
                        ",examples] with a row for each epoch, but '" + path + "' holds " +
                        describe(view.type, view.dims));
  for (size_t i = 0; i < view.count; ++i) {
    const double index = readElement(view.type, view.data, i);
    if (index < 0 || index >= examples)
      return usageFailure("--order must have numbers of examples from 0 to " + std::to_string(examples - 1) +
                          ", but '" + path + "' has " + std::to_string(static_cast<int64_t>(index)));
  }
  return std::nullopt;
}

std::vector<uint32_t> Order::ofEpoch(uint64_t epoch) const {
  const TensorView &view = file.view;
  if (view.count == 0)
    return shuffled(examples, seed, epoch);
  std::vector<uint32_t> order(length());
  const uint64_t first = view.dims.size() == 2 ? epoch * order.size() : 0;
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<uint32_t>(readElement(view.type, view.data, first + i));
  return order;
}

} // namespace nacre::run
