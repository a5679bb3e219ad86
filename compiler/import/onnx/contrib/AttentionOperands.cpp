// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that the attention operators of ONNX Runtime share: masks, and other operands.

#include "compiler/import/onnx/contrib/AttentionOperands.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {

using nn::BinaryKind;

ScoreShape getScoreShape(Value query, Value key, Value past) {
  Ints shape = getShape(query);
  return {shape[0], shape[1], shape[2], getShape(key)[2], past ? getShape(past)[getRank(past) - 2] : 0};
}

//===----------------------------------------------------------------------===//
// 1. Masks
//===----------------------------------------------------------------------===//

/// Reads a mask that consists of numbers of keys. [batch] has ends, and [2 * batch] has ends and then starts. [3 *
/// batch + 2] begins with numbers of keys.
static Value readLengths(OperandBinder &node, size_t index, const ScoreShape &scores) {
  NnBuilder &nn = node.nn;
  Value mask = nn.cast(node.getOperand(index), nn.types().getI32Type());
  if (!mask)
    return {};
  int64_t batch = scores.batch, count = getShape(mask)[0];
  if (count != batch && count != 2 * batch && count != 3 * batch + 2) {
    node.error() << node.nameOf(index) << " must have the length of each sequence of the batch of " << batch
                 << ", optionally with starts, but is " << describe(node.getOperand(index));
    return {};
  }
  Value visible = findFilled(nn, nn.slice(mask, 0, 0, batch), scores.keys);
  if (count != 2 * batch)
    return visible;
  Value isBefore = findFilled(nn, nn.slice(mask, 0, batch, batch), scores.keys);
  return nn.binary(BinaryKind::And, visible, nn.unary(nn::UnaryKind::Not, isBefore));
}

/// Reshapes a mask of two to four axes so that it broadcasts to the scores.
static Value alignMask(OperandBinder &node, size_t index, const ScoreShape &scores) {
  NnBuilder &nn = node.nn;
  Value mask = node.getOperand(index);
  auto [batch, heads, queries, keys, past] = scores;
  if (getRank(mask) == 2)
    return node.checkShape(index, {batch, keys}, "a number for each key") ? nn.reshape(mask, {batch, 1, 1, keys})
                                                                          : Value();
  if (getRank(mask) == 3)
    return node.checkShape(index, {batch, queries, keys}, "a number for each query and key")
               ? nn.reshape(mask, {batch, 1, queries, keys})
               : Value();
  int64_t most = getShape(mask)[3];
  if (!node.checkShape(index, {batch, 1, std::max(most, keys), std::max(most, keys)}, "at least a number for each key"))
    return {};
  return nn.slice(mask, {0, 0, past, 0}, {batch, 1, queries, keys}, {1, 1, 1, 1});
}

Value readMask(OperandBinder &node, size_t index, const ScoreShape &scores, Type elementType) {
  NnBuilder &nn = node.nn;
  double hidden = node.getFloat("mask_filter_value", -10000);
  Value mask = node.getOperand(index);
  if (!mask || !node.checkRank(index, 1, 4))
    return {};
  // The same mask for all keys does not change a softmax.
  bool hasOne = getRank(mask) == 2 && getShape(mask)[1] == 1 && scores.keys != 1;
  if (hasOne)
    return {};
  Value visible;
  if (getRank(mask) == 1)
    visible = readLengths(node, index, scores);
  else if (Value aligned = alignMask(node, index, scores))
    visible = nn.binary(BinaryKind::Greater, aligned, 0.0);
  return visible ? toBias(nn, visible, elementType, hidden) : Value();
}

Reach hideBehind(NnBuilder &nn, const ScoreShape &scores, int64_t window) {
  Reach reach;
  reach.before = window < 0 ? Reach::unbounded : window - 1;
  reach.behind = 0;
  if (scores.past != 0)
    reach.offset = nn.splat(RankedTensorType::get({}, nn.types().getI32Type()), static_cast<double>(scores.past));
  return reach;
}

//===----------------------------------------------------------------------===//
// 2. Other operands
//===----------------------------------------------------------------------===//

Value readBias(OperandBinder &node, size_t index, const ScoreShape &scores) {
  Value bias = node.getOperand(index);
  if (!bias || !node.checkRank(index, 4, 4) ||
      !node.checkBroadcastsTo(index, {scores.batch, scores.heads, scores.queries, scores.keys}, "the scores"))
    return {};
  return bias;
}

double readScale(OperandBinder &node, Value query) {
  double scale = node.getFloat("scale", 0);
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(getShape(query)[3]));
}

Value addPast(OperandBinder &node, size_t past, Value x) {
  Value given = node.getOperand(past);
  if (!given)
    return x;
  Ints shape = getShape(x);
  if (!node.checkRank(past, 4, 4) ||
      !node.checkShape(past, {shape[0], shape[1], getShape(given)[2], shape[3]}, "cached earlier positions"))
    return {};
  return node.nn.concat({given, x}, 2);
}

} // namespace nacre::importer::onnx_format::contrib
