// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary position embedding.

#include "compiler/import/compositions/attention/RotaryEmbedding.h"

using namespace mlir;

namespace nacre::importer {

Value rotate(NnBuilder &nn, Value x, Value cosines, Value sines, bool isInterleaved) {
  if (!x || !cosines || !sines)
    return {};
  int64_t axis = getRank(x) - 1, width = getShape(x)[axis], pairs = getShape(cosines).back();
  auto take = [&](int64_t start, int64_t step) {
    SmallVector<int64_t> starts(axis + 1, 0), sizes(getShape(x)), steps(axis + 1, 1);
    starts[axis] = start;
    sizes[axis] = pairs;
    steps[axis] = step;
    return nn.slice(x, starts, sizes, steps);
  };
  Value first = take(0, isInterleaved ? 2 : 1);
  Value second = isInterleaved ? take(1, 2) : take(pairs, 1);
  Value turnedFirst = nn.sub(nn.mul(first, cosines), nn.mul(second, sines));
  Value turnedSecond = nn.add(nn.mul(first, sines), nn.mul(second, cosines));
  Value rest = 2 * pairs < width ? nn.slice(x, axis, 2 * pairs, width - 2 * pairs) : Value();
  if (!isInterleaved)
    return rest ? nn.concat({turnedFirst, turnedSecond, rest}, axis) : nn.concat({turnedFirst, turnedSecond}, axis);
  SmallVector<int64_t> paired(getShape(x));
  paired[axis] = pairs;
  paired.push_back(1);
  Value turned = nn.concat({nn.reshape(turnedFirst, paired), nn.reshape(turnedSecond, paired)}, axis + 1);
  paired.pop_back();
  paired[axis] = 2 * pairs;
  turned = nn.reshape(turned, paired);
  return rest ? nn.concat({turned, rest}, axis) : turned;
}

} // namespace nacre::importer
