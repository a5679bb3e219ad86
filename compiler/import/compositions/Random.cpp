// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random values as a function of a seed and the index of an element. The parts of this file are words, values, and
// operators that use them.

#include "compiler/import/compositions/Random.h"

#include "compiler/import/compositions/Tables.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::ReduceKind;

//===----------------------------------------------------------------------===//
// 1. Words
//===----------------------------------------------------------------------===//

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t factors[] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t steps[] = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    uint64_t first = factors[0] * counter[0], second = factors[1] * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += steps[0];
    key[1] += steps[1];
  }
  return counter;
}

static uint32_t wordAt(RandomKey key, int64_t index) {
  auto block = static_cast<uint64_t>(index) / 4;
  return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}, key)[index % 4];
}

//===----------------------------------------------------------------------===//
// 2. Numbers
//===----------------------------------------------------------------------===//

double uniformAt(RandomKey key, int64_t index) { return static_cast<double>(wordAt(key, index) >> 8) * 0x1p-24; }

double normalAt(RandomKey key, int64_t index) {
  int64_t first = index / 2 * 2;
  // The operand is in (0, 1], because the logarithm of 0 is infinite.
  double radius = std::sqrt(-2 * std::log(uniformAt(key, first) + 0x1p-24));
  double angle = 2 * 3.14159265358979323846 * uniformAt(key, first + 1);
  return radius * (index % 2 ? std::sin(angle) : std::cos(angle));
}

Value uniform(NnBuilder &nn, RankedTensorType type, RandomKey key, double low, double high) {
  return makeTable<double>(nn, type, [&](int64_t index) { return low + (high - low) * uniformAt(key, index); });
}

Value normal(NnBuilder &nn, RankedTensorType type, RandomKey key, double mean, double deviation) {
  return makeTable<double>(nn, type, [&](int64_t index) { return mean + deviation * normalAt(key, index); });
}

//===----------------------------------------------------------------------===//
// 3. Operators that use them
//===----------------------------------------------------------------------===//

Value meets(NnBuilder &nn, Value probabilities, RandomKey key) {
  if (!probabilities)
    return {};
  // Values have 24 bits, so the comparison needs the same precision.
  Type precise = getElementType(probabilities).isF64() ? getElementType(probabilities) : nn.types().getF32Type();
  Value numbers = uniform(nn, RankedTensorType::get(getShape(probabilities), precise), key, 0, 1);
  return nn.binary(BinaryKind::Less, numbers, nn.cast(probabilities, precise));
}

Dropped dropOut(NnBuilder &nn, Value x, Value ratio, RandomKey key) {
  if (!x || !ratio)
    return {};
  Type f32 = nn.types().getF32Type();
  Value share = nn.cast(ratio, f32);
  Value numbers = uniform(nn, RankedTensorType::get(getShape(x), f32), key, 0, 1);
  Value mask = nn.binary(BinaryKind::GreaterEqual, numbers, share);
  Value kept = share ? nn.cast(nn.sub(nn.scalar(share, 1), share), getElementType(x)) : Value();
  return {nn.select(mask, nn.div(x, kept), nn.scalar(x, 0)), mask};
}

/// Computes one round of Philox on blocks of counters. The words have 32 bits, in elements of i64.
static std::array<Value, 4> turnWords(NnBuilder &nn, std::array<Value, 4> words, std::array<uint32_t, 2> key) {
  auto low = [&](Value x) { return nn.binary(BinaryKind::And, x, nn.scalar(x, 0xFFFFFFFFu)); };
  auto high = [&](Value x) { return low(nn.binary(BinaryKind::ShiftRight, x, nn.scalar(x, 32))); };
  auto mix = [&](Value a, Value b, uint32_t c) {
    return nn.binary(BinaryKind::Xor, nn.binary(BinaryKind::Xor, a, b), nn.scalar(a, c));
  };
  Value first = nn.mul(words[0], 0xD2511F53u), second = nn.mul(words[2], 0xCD9E8D57u);
  return {mix(high(second), words[1], key[0]), low(second), mix(high(first), words[3], key[1]), low(first)};
}

Value dropOutAnew(NnBuilder &nn, Value x, double ratio, uint64_t seed, Value step, uint32_t stream) {
  if (!x || !step)
    return {};
  SmallVector<int64_t> shape(getShape(x));
  const int64_t count = getType(x).getNumElements(), blocks = (count + 3) / 4;
  Value counter = nn.counting(blocks), zero = nn.splat(getType(counter), 0);
  std::array<Value, 4> words{counter, nn.add(zero, stream), nn.add(zero, step), zero};
  std::array<uint32_t, 2> key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round, key[0] += 0x9E3779B9u, key[1] += 0xBB67AE85u)
    words = turnWords(nn, words, key);
  SmallVector<Value> columns;
  for (Value word : words)
    columns.push_back(nn.reshape(word, {blocks, 1}));
  Value all = nn.slice(nn.reshape(nn.concat(columns, 1), {4 * blocks}), 0, 0, count);
  Value stays = nn.binary(BinaryKind::GreaterEqual, all, std::floor(ratio * 0x1p32));
  if (shape.size() > 2) {
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    stays = nn.toChannelsFirst(nn.reshape(stays, shape));
  } else {
    stays = nn.reshape(stays, shape);
  }
  return nn.select(stays, nn.div(x, 1 - ratio), nn.scalar(x, 0));
}

Value drawClasses(NnBuilder &nn, Value logits, int64_t count, RandomKey key) {
  if (!logits)
    return {};
  int64_t rows = getShape(logits)[0], classes = getShape(logits)[1];
  Type f32 = nn.types().getF32Type(), i64 = nn.types().getI64Type();
  Value chances = nn.softmax(nn.cast(logits, f32), 1, /*log=*/false);
  // Cumulative probabilities of classes. A random value chooses the first class with a larger sum.
  Value isUpTo = makeTable<double>(nn, RankedTensorType::get({classes, classes}, f32),
                                   [&](int64_t index) { return index / classes <= index % classes ? 1.0 : 0.0; });
  Value sums = nn.reshape(nn.matmul(chances, isUpTo), {rows, 1, classes});
  Value numbers = nn.reshape(uniform(nn, RankedTensorType::get({rows, count}, f32), key, 0, 1), {rows, count, 1});
  Value isPassed = nn.cast(nn.binary(BinaryKind::LessEqual, sums, numbers), i64);
  Value drawn = nn.reduce(ReduceKind::Sum, isPassed, 2, /*keepDims=*/false);
  // the last sum may be rounded to less than one
  return nn.binary(BinaryKind::Min, drawn, static_cast<double>(classes - 1));
}

} // namespace nacre::importer
