// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Attention.h. The parts of this file are heads, masks, and attention.

#include "compiler/import/compositions/attention/Attention.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/attention/SpelledAttention.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;

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

/// True if a row of `bias` may be -inf for all keys.
static bool mayHideRow(Value bias) {
  ElementsAttr known = bias ? getConstant(bias) : ElementsAttr();
  if (!known)
    return bool(bias);
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(known);
  if (failed(view))
    return true;
  SmallVector<double> numbers(getType(bias).getNumElements());
  view->read(0, 1, static_cast<int64_t>(numbers.size()), numbers.data());
  const int64_t keys = getShape(bias).empty() ? 1 : getShape(bias).back();
  for (ArrayRef<double> rest = numbers; !rest.empty(); rest = rest.drop_front(keys))
    if (llvm::all_of(rest.take_front(keys), [](double addend) { return addend == -HUGE_VAL; }))
      return true;
  return false;
}

/// Returns the operands of the operator, with heads in groups that share keys.
static NnBuilder::AttentionOperands getOperands(NnBuilder &nn, const Attention &a) {
  const int64_t kvHeads = getShape(a.key)[1], heads = getShape(a.query)[1];
  const bool isGrouped = heads != kvHeads;
  auto group = [&](Value value) { return isGrouped ? groupHeads(nn, value, kvHeads) : value; };
  const Type type = getElementType(a.query);
  NnBuilder::AttentionOperands operands;
  operands.queries = group(a.query);
  Value key = group(a.key);
  if (!operands.queries || !key)
    return {};
  SmallVector<int64_t> swapped = axisRange(0, getRank(key));
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  operands.keys = nn.transpose(key, swapped);
  operands.values = nn.cast(group(a.value), type);
  operands.mask = group(a.bias);
  if (a.sink)
    operands.sink = group(nn.reshape(nn.cast(a.sink, type), {heads, 1, 1}));
  operands.scale = a.scale;
  operands.softcap = a.softcap;
  if (a.reach.isBounded())
    operands.offset = group(a.reach.offset);
  if (a.reach.before >= 0)
    operands.before = a.reach.before;
  if (a.reach.behind >= 0)
    operands.behind = a.reach.behind;
  operands.hidesRows = a.hidesRows && (a.reach.isBounded() || mayHideRow(a.bias));
  return operands;
}

/// True if the operator would be less exact than its parts, which compute in the types that the model demands.
static bool needsParts(const Attention &a) {
  // The operator computes scores and softmax in f32. Without keys or width, only the parts have a meaning.
  return a.keepsScores || getElementType(a.query).isF64() || (a.softmaxType && a.softmaxType.isF64()) ||
         getType(a.key).getNumElements() == 0;
}

Attended attend(NnBuilder &nn, const Attention &attention) {
  if (!attention.query || !attention.key || !attention.value)
    return {};
  Attended result;
  result.result = nn.attention(getOperands(nn, attention));
  if (result.result && needsParts(attention)) {
    nn::SpelledAttention parts = nn.spell(result.result, attention.softmaxType);
    result = {parts.result, {}, parts.scores, parts.capped, parts.biased, parts.weights};
  }
  result.merged = mergeHeads(nn, result.result);
  if (getShape(attention.query)[1] != getShape(attention.key)[1])
    for (Value *value : {&result.result, &result.scores, &result.capped, &result.biased, &result.probabilities})
      *value = ungroupHeads(nn, *value);
  return result;
}

} // namespace nacre::importer
