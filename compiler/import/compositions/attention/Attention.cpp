// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Attention.h. The parts of this file are heads, masks, and attention.

#include "compiler/import/compositions/attention/Attention.h"

#include "dialects/nn/ConstantData.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Heads
//===----------------------------------------------------------------------===//

Value splitHeads(NnBuilder &nn, Value x, int64_t heads) {
  if (!x)
    return {};
  Ints shape = getShape(x);
  return nn.transpose(nn.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

/// Returns [batch, heads..., positions, width] as [batch, positions, heads * width].
static Value mergeHeads(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  Ints shape = getShape(x);
  int64_t rank = getRank(x), heads = 1;
  SmallVector<int64_t> permutation = axisRange(0, rank);
  std::rotate(permutation.begin() + 1, permutation.end() - 2, permutation.end() - 1);
  for (int64_t dim : shape.drop_front().drop_back(2))
    heads *= dim;
  return nn.reshape(nn.transpose(x, permutation), {shape[0], shape[rank - 2], heads * shape[rank - 1]});
}

/// Splits the axis of heads, which is the third from the last, into `kvHeads` groups. [.., h, m, n] becomes [..,
/// kvHeads, h / kvHeads, m, n].
static Value groupHeads(NnBuilder &nn, Value x, int64_t kvHeads) {
  if (!x || getRank(x) < 3)
    return x;
  SmallVector<int64_t> shape(getShape(x));
  auto heads = shape.end() - 3;
  int64_t inGroup = *heads == 1 ? 1 : *heads / kvHeads;
  *heads /= inGroup;
  shape.insert(heads + 1, inGroup);
  return nn.reshape(x, shape);
}

/// Undoes groupHeads() for a tensor of five axes.
static Value ungroupHeads(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  Ints shape = getShape(x);
  return nn.reshape(x, {shape[0], shape[1] * shape[2], shape[3], shape[4]});
}

//===----------------------------------------------------------------------===//
// 2. Masks
//===----------------------------------------------------------------------===//

/// Returns 0, 1, ..., size - 1 as i32.
static Value count(NnBuilder &nn, int64_t size) { return nn.cast(nn.counting(size), nn.types().getI32Type()); }

Value findVisible(NnBuilder &nn, const Reach &reach) {
  Value keys = count(nn, reach.keys);
  Value own = nn.add(nn.reshape(count(nn, reach.queries), {reach.queries, 1}), reach.offset);
  Value visible;
  auto require = [&](Value condition) {
    visible = visible ? nn.binary(BinaryKind::And, visible, condition) : condition;
  };
  // A larger value than the number of keys and queries would have the same effect, but could overflow.
  int64_t furthest = reach.keys + reach.queries;
  if (reach.behind >= 0)
    require(nn.binary(BinaryKind::LessEqual, keys, nn.add(own, std::min(reach.behind, furthest))));
  if (reach.before >= 0)
    require(nn.binary(BinaryKind::GreaterEqual, keys, nn.add(own, -std::min(reach.before, furthest))));
  return visible;
}

Value findFilled(NnBuilder &nn, Value lengths, int64_t keys) {
  if (!lengths)
    return {};
  Value perBatch = nn.reshape(lengths, {getType(lengths).getNumElements(), 1, 1, 1});
  return nn.binary(BinaryKind::Less, count(nn, keys), perBatch);
}

Value toBias(NnBuilder &nn, Value visible, Type elementType, double hidden) {
  auto scalar = RankedTensorType::get({}, elementType);
  return nn.select(visible, nn.splat(scalar, 0), nn.splat(scalar, hidden));
}

Value addBias(NnBuilder &nn, Value lhs, Value rhs) { return !lhs ? rhs : !rhs ? lhs : nn.add(lhs, rhs); }

//===----------------------------------------------------------------------===//
// 3. Attention
//===----------------------------------------------------------------------===//

/// Returns i1 [.., queries, 1], which is true for queries that see no key. Returns null if the bias is constant and
/// each query sees a key.
static Value findHiddenRows(NnBuilder &nn, Value bias) {
  Value largest = nn.reduce(ReduceKind::Max, bias, getRank(bias) - 1, /*keepDims=*/true);
  Value isHidden = nn.binary(BinaryKind::Equal, largest, -HUGE_VAL);
  ElementsAttr known = isHidden ? getConstant(isHidden) : ElementsAttr();
  if (!known)
    return isHidden;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(known);
  if (failed(view) || llvm::any_of(view->readIntegers(), [](int64_t hidden) { return hidden != 0; }))
    return isHidden;
  return {};
}

/// Returns query * key^T * scale. Scaling the product costs nothing. But for f16, both operands are multiplied by the
/// square root of the scale first, so that no product overflows.
static Value computeScores(NnBuilder &nn, Value query, Value key, double scale) {
  bool isNarrow = getElementType(query).getIntOrFloatBitWidth() < 32 && scale > 0;
  if (isNarrow) {
    query = nn.mul(query, std::sqrt(scale));
    key = nn.mul(key, std::sqrt(scale));
  }
  if (!query || !key)
    return {};
  SmallVector<int64_t> swapped = axisRange(0, getRank(query));
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  Value scores = nn.matmul(query, nn.transpose(key, swapped));
  return isNarrow ? scores : nn.mul(scores, scale);
}

/// Returns the softmax of scores [.., queries, keys] together with one more score, `sink`, which has no column in the
/// result. `sink` is [heads] or null.
static Value softmaxWithSink(NnBuilder &nn, Value scores, Value sink) {
  if (!scores)
    return {};
  int64_t axis = getRank(scores) - 1, keys = getShape(scores)[axis];
  if (!sink)
    return nn.softmax(scores, axis, /*log=*/false);
  SmallVector<int64_t> perHead(getShape(scores).drop_front()), column(getShape(scores));
  perHead[perHead.size() - 2] = perHead.back() = column.back() = 1;
  Value more = nn.broadcast(nn.cast(nn.reshape(sink, perHead), getElementType(scores)), column);
  return nn.slice(nn.softmax(nn.concat({scores, more}, axis), axis, /*log=*/false), axis, 0, keys);
}

static Attended attendToGroups(NnBuilder &nn, const Attention &a) {
  Attended result;
  result.scores = result.capped = computeScores(nn, a.query, a.key, a.scale);
  if (!result.scores)
    return {};
  if (a.softcap != 0)
    result.capped = nn.mul(nn.unary(UnaryKind::Tanh, nn.div(result.scores, a.softcap)), a.softcap);
  if (!result.capped)
    return {};
  result.biased = addBias(nn, result.capped, a.bias);
  if (!result.biased)
    return {};
  Type elementType = getElementType(result.scores);
  Value logits = nn.cast(result.biased, a.softmaxType ? a.softmaxType : elementType);
  result.probabilities = nn.cast(softmaxWithSink(nn, logits, a.sink), elementType);
  result.result = nn.matmul(result.probabilities, nn.cast(a.value, elementType));
  // The softmax of a row of -inf is NaN, so a select replaces it.
  if (Value isHidden = a.bias && a.hidesRows ? findHiddenRows(nn, a.bias) : Value()) {
    result.probabilities = nn.select(isHidden, nn.scalar(result.probabilities, 0), result.probabilities);
    result.result = nn.select(isHidden, nn.scalar(result.result, 0), result.result);
  }
  return result;
}

Attended attend(NnBuilder &nn, const Attention &attention) {
  if (!attention.query || !attention.key || !attention.value)
    return {};
  int64_t kvHeads = getShape(attention.key)[1];
  if (getShape(attention.query)[1] == kvHeads) {
    Attended result = attendToGroups(nn, attention);
    result.merged = mergeHeads(nn, result.result);
    return result;
  }
  Attention grouped = attention;
  for (Value *value : {&grouped.query, &grouped.key, &grouped.value, &grouped.bias})
    *value = groupHeads(nn, *value, kvHeads);
  Attended result = attendToGroups(nn, grouped);
  result.merged = mergeHeads(nn, result.result);
  for (Value *value : {&result.result, &result.scores, &result.capped, &result.biased, &result.probabilities})
    *value = ungroupHeads(nn, *value);
  return result;
}

} // namespace nacre::importer
