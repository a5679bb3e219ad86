// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, since version 23. Version 24 adds caches that are only partly filled, and version 25 adds windows.
//
// The parts of this file are heads and shapes, masks, and the operator.

#include "compiler/import/compositions/attention/Attention.h"
#include "compiler/import/onnx/attention/Handlers.h"
#include "compiler/import/onnx/graph/File.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

enum Operand : size_t { Query, Key, ValueOperand, Mask, PastKey, PastValue, Lengths };

//===----------------------------------------------------------------------===//
// 1. Heads
//===----------------------------------------------------------------------===//

/// Returns an operand as [batch, heads, positions, width], or null after an error. If it has three axes, its heads are
/// adjacent in the last one.
Value getHeads(OperandBinder &node, size_t index, int64_t heads) {
  Value x = node.getOperand(index);
  if (!node.checkRank(index, 3, 4))
    return {};
  if (getRank(x) == 4)
    return x;
  if (heads < 1 || getShape(x)[2] % heads) {
    node.error() << "attribute '" << (index == Query ? "q_num_heads" : "kv_num_heads")
                 << "' must divide the last axis of " << node.nameOf(index)
                 << ", because the input has no heads axis, but is " << heads << " for " << describe(x);
    return {};
  }
  return splitHeads(node.nn, x, heads);
}

/// Joins the past positions in operand `index` and the new positions `x`. Returns null after an error.
Value addPast(OperandBinder &node, size_t index, Value x) {
  Value past = node.getOperand(index);
  if (!past)
    return x;
  Ints shape = getShape(x);
  if (!node.checkRank(index, 4, 4) ||
      !node.checkShape(index, {shape[0], shape[1], getShape(past)[2], shape[3]}, "cached earlier positions"))
    return {};
  return node.nn.concat({past, x}, 2);
}

bool checkHeads(OperandBinder &node, Value query, Value key, Value value) {
  Ints q = getShape(query), k = getShape(key), v = getShape(value);
  if (q[0] == k[0] && k[0] == v[0] && q[3] == k[3] && k[2] == v[2] && k[1] == v[1] && k[1] > 0 && q[1] % k[1] == 0)
    return node.checkFits({q[0], q[1], q[2], k[2]}, "the scores");
  node.error() << "query, key and value must have the same batch, query and key the same head width, key and value the "
                  "same heads and positions, and the query's heads must be a multiple of theirs; but as batch, heads, "
                  "positions and width they are "
               << describeShape(q) << ", " << describeShape(k) << " and " << describeShape(v);
  return false;
}

//===----------------------------------------------------------------------===//
// 2. Masks
//===----------------------------------------------------------------------===//

/// Returns the mask operand as a bias. Returns null if there is no mask, or after an error.
Value readMask(OperandBinder &node, Ints scores, Type elementType) {
  NnBuilder &nn = node.nn;
  Value mask = node.getOperand(Mask);
  if (!mask)
    return {};
  if (getRank(mask) == 0)
    mask = nn.reshape(mask, {1});
  if (!mask)
    return {};
  int64_t given = getShape(mask).back(), keys = scores.back();
  if (given > keys) {
    node.error() << node.nameOf(Mask) << " must have a number for each of " << keys << " keys or fewer, but is "
                 << describe(mask);
    return {};
  }
  SmallVector<int64_t> known(scores);
  known.back() = given;
  if (!node.checkBroadcastsTo(Mask, known, "the scores"))
    return {};
  mask = getElementType(mask).isInteger(1) ? toBias(nn, mask, elementType, -HUGE_VAL) : nn.cast(mask, elementType);
  if (!mask)
    return {};
  // The mask may have fewer keys than the scores; later keys are hidden.
  SmallVector<int64_t> low(getRank(mask), 0), high(low);
  high.back() = keys - given;
  return given == keys ? mask : nn.pad(nn::PadMode::Constant, mask, low, high, -HUGE_VAL);
}

int64_t readWindow(OperandBinder &node, StringRef name) {
  int64_t size = node.getVersion() < 25 ? -1 : node.getInt(name, -1);
  if (size < -1)
    node.error() << "attribute '" << name << "' must be a number of keys, or -1 for all, but is " << size;
  return size;
}

/// Reads which keys the positions of queries hide, and the number of keys of each sequence. Adds the latter to the
/// bias. Clears `hidesRows` if each query sees at least one key.
void readReach(OperandBinder &node, Attention &attention) {
  NnBuilder &nn = node.nn;
  Type i32 = nn.types().getI32Type();
  Ints query = getShape(attention.query);
  const int64_t queries = query[2], keys = getShape(attention.key)[2];
  Reach &reach = attention.reach;
  reach.before = readWindow(node, "left_window_size");
  reach.behind = readWindow(node, "right_window_size");
  if (node.getFlag("is_causal", false))
    reach.behind = 0;
  Value lengths = node.getOperand(Lengths), past = node.getOperand(PastKey);
  if (!node.checkShape(Lengths, query[0], "a number of keys for each of the batch"))
    return;
  lengths = nn.cast(lengths, i32);
  int64_t offset = past ? getShape(past)[2] : 0;
  if (offset != 0)
    reach.offset = nn.splat(RankedTensorType::get({}, i32), static_cast<double>(offset));
  if (lengths && !past)
    reach.offset = nn.add(nn.reshape(lengths, {query[0], 1, 1, 1}), -static_cast<double>(queries));
  attention.hidesRows = attention.bias || lengths || offset + queries > keys;
  if (lengths)
    attention.bias = addBias(nn, attention.bias,
                             toBias(nn, findFilled(nn, lengths, keys), getElementType(attention.query), -HUGE_VAL));
}

//===----------------------------------------------------------------------===//
// 3. The operator
//===----------------------------------------------------------------------===//

void setScores(OperandBinder &node, const Attended &attended) {
  int64_t mode = node.getInt("qk_matmul_output_mode", 0);
  const Value stages[] = {attended.scores, attended.capped, attended.biased, attended.probabilities};
  if (mode < 0 || mode >= static_cast<int64_t>(std::size(stages)))
    node.error() << "attribute 'qk_matmul_output_mode' must lie between 0 and " << std::size(stages) - 1 << ", but is "
                 << mode;
  else if (node.wantsResult(3))
    node.setResult(3, stages[mode]);
}

void importAttention(OperandBinder &node) {
  int64_t queryHeads = node.getInt("q_num_heads", 0), keyHeads = node.getInt("kv_num_heads", 0);
  Value query = getHeads(node, Query, queryHeads);
  Value key = getHeads(node, Key, keyHeads), value = getHeads(node, ValueOperand, keyHeads);
  if (!query || !key || !value)
    return;
  if (!node.getOperand(PastKey) != !node.getOperand(PastValue)) {
    node.error() << node.nameOf(PastKey) << " and " << node.nameOf(PastValue)
                 << " must be given together, but only one is; name the other as an input";
    return;
  }
  key = addPast(node, PastKey, key);
  value = addPast(node, PastValue, value);
  if (!key || !value || !checkHeads(node, query, key, value))
    return;

  Attention attention;
  attention.query = query;
  attention.key = key;
  attention.value = value;
  Ints q = getShape(query);
  attention.scale = node.getFloat("scale", 1 / std::sqrt(static_cast<double>(q[3])));
  attention.softcap = node.getFloat("softcap", 0);
  if (int64_t precision = node.getInt("softmax_precision", 0)) {
    attention.softmaxType = fromDataType(precision, node.nn.getLoc().getContext());
    if (!isa_and_nonnull<FloatType>(attention.softmaxType)) {
      node.error() << "attribute 'softmax_precision' must be float16, bfloat16, float or double, but is '"
                   << getElementTypeName(precision) << "'";
      return;
    }
  }
  attention.bias = readMask(node, {q[0], q[1], q[2], getShape(key)[2]}, getElementType(query));
  readReach(node, attention);
  if (node.hasFailed())
    return;
  attention.keepsScores = node.wantsResult(3);

  Attended attended = attend(node.nn, attention);
  bool isPacked = getRank(node.getOperand(Query)) == 3;
  node.setResult(0, isPacked ? attended.merged : attended.result);
  node.setResult(1, key);
  node.setResult(2, value);
  setScores(node, attended);
}

} // namespace

void registerAttention(ImportRegistry &registry) {
  OperandRule query{"Q", Holds::Floats, 'T'}, key{"K", Holds::Floats, 'T'}, value{"V", Holds::Floats, 'V'};
  OperandRule mask{"attn_mask?"}, pastKey{"past_key?", Holds::Floats, 'T'},
      pastValue{"past_value?", Holds::Floats, 'V'};
  registry.add("Attention", 23, {query, key, value, mask, pastKey, pastValue}, importAttention);
  registry.add("Attention", 24, {query, key, value, mask, pastKey, pastValue, {"nonpad_kv_seqlen?", Holds::Indices}},
               importAttention);
}

} // namespace nacre::importer::onnx_format
