// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that take a state from an earlier call and return the next one, since version 27.
//
// They are linear attention, and the causal convolution before it.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/attention/LinearAttention.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/attention/Handlers.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Linear attention
//===----------------------------------------------------------------------===//

/// Largest number of positions. It is small because the operators of each position are unrolled.
constexpr int64_t maxPositions = 64;

/// Returns an operand [batch, positions, heads * width] as [batch, positions, heads, width]. Null after an error.
Value divideHeads(OperandBinder &node, size_t index, int64_t heads) {
  Value x = node.getOperand(index);
  if (!node.checkRank(index, 3, 3))
    return {};
  Ints shape = getShape(x);
  if (heads >= 1 && shape[2] % heads == 0)
    return node.nn.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  node.error() << "attribute '" << (index == 0 ? "q_num_heads" : "kv_num_heads") << "' must divide the last axis of "
               << node.nameOf(index) << ", but is " << heads << " for " << describe(x);
  return {};
}

/// Reads operand `index`, [batch, positions, heads or `width`], and splits its last axis into heads. The operand must
/// exist if the update rule reads it (`isRead`), and must be missing otherwise. Returns false after an error.
bool readGate(OperandBinder &node, size_t index, bool isRead, Ints query, int64_t heads, int64_t width, Value &result) {
  Value x = node.getOperand(index);
  if (isRead != static_cast<bool>(x)) {
    node.error() << node.nameOf(index) << " must " << (isRead ? "be given" : "not be given")
                 << " by attribute 'update_rule', but is " << (isRead ? "left out" : "given");
    return false;
  }
  if (!x)
    return true;
  if (!node.checkRank(index, 3, 3))
    return false;
  int64_t last = getShape(x)[2];
  if (last != heads && last != width) {
    node.error() << node.nameOf(index) << " must have " << heads << " or " << describeCount(width, "number")
                 << " for each position, but is " << describe(x);
    return false;
  }
  if (!node.checkShape(index, {query[0], query[1], last}, "as many positions as the query"))
    return false;
  int64_t given = last == heads || last % heads ? last : heads;
  result = node.nn.reshape(x, {query[0], query[1], given, last / given});
  return true;
}

bool checkParts(OperandBinder &node, Ints query, Ints key, Ints value) {
  if (query.take_front(2) == key.take_front(2) && key.take_front(2) == value.take_front(2) && query[3] == key[3] &&
      query[2] % key[2] == 0)
    return true;
  node.error()
      << "query, key and value must have the same batch and positions, query and key the same head width, and the "
         "query's heads must be a multiple of the key's; but as batch, positions, heads and width they are "
      << describeShape(query) << ", " << describeShape(key) << " and " << describeShape(value);
  return false;
}

/// Imports the operands query, key, value, past_state, decay and beta.
void importLinearAttention(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  node.ignore({"chunk_size"});
  int64_t heads = node.getInt("q_num_heads", 0), kvHeads = node.getInt("kv_num_heads", 0);
  StringRef rule = node.getChoice("update_rule", {"gated_delta", "linear", "gated", "delta"});
  double scale = node.getFloat("scale", 0);
  LinearAttention attention;
  attention.query = divideHeads(node, 0, heads);
  attention.key = divideHeads(node, 1, kvHeads);
  attention.value = divideHeads(node, 2, kvHeads);
  if (node.hasFailed() || !attention.query || !attention.key || !attention.value)
    return;
  Ints query = getShape(attention.query), key = getShape(attention.key), value = getShape(attention.value);
  if (!checkParts(node, query, key, value) ||
      !readGate(node, 4, rule.starts_with("gated"), query, kvHeads, kvHeads * key[3], attention.decay) ||
      !readGate(node, 5, rule.ends_with("delta"), query, kvHeads, 1, attention.beta))
    return;
  if (query[1] < 1 || query[1] > maxPositions) {
    node.error() << "must have 1 to " << maxPositions << " positions, because they are computed sequentially, but "
                 << node.nameOf(0) << " is " << describe(node.getOperand(0))
                 << "; run fewer positions at a time and pass on the state";
    return;
  }
  SmallVector<int64_t> state{query[0], kvHeads, key[3], value[3]};
  if (!node.checkShape(3, state, "like the state of an earlier call") || !node.checkFits(state, "the state") ||
      !node.checkFits({query[0], query[1], query[2], value[3]}))
    return;
  attention.state = node.getOperand(3);
  if (!attention.state)
    attention.state = nn.splat(RankedTensorType::get(state, getElementType(node.getOperand(0))), 0);
  attention.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(key[3]));
  LinearlyAttended attended = attendLinearly(nn, attention);
  node.setResult(0, attended.result);
  node.setResult(1, attended.state);
}

//===----------------------------------------------------------------------===//
// 2. Causal convolution
//===----------------------------------------------------------------------===//

/// Returns x * sigmoid(x), computed with at least 32 bits.
Value activate(NnBuilder &nn, Value x) {
  if (!x || getElementType(x).getIntOrFloatBitWidth() >= 32)
    return swish(nn, x);
  return nn.cast(swish(nn, nn.cast(x, nn.types().getF32Type())), getElementType(x));
}

/// Imports the operands input [batch, channels, positions], weight [channels, 1, k], bias, and past_state [batch,
/// channels, k - 1].
void importCausalConv(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  StringRef activation = node.getChoice("activation", {"none", "silu", "swish"});
  Value x = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2), past = node.getOperand(3);
  if (!node.checkRank(0, 3, 3) || !node.checkRank(1, 3, 3))
    return;
  Ints shape = getShape(x);
  int64_t channels = shape[1], kernel = getShape(weights)[2];
  if (!node.checkShape(1, {channels, 1, kernel}, "a filter for each channel") ||
      !node.checkShape(2, channels, "one element for each channel"))
    return;
  if (kernel < 1 || channels < 1 || shape[2] < 1) {
    node.error() << node.nameOf(0) << " must have at least one channel and one position, and " << node.nameOf(1)
                 << " one element for each channel, but they are " << describe(x) << " and " << describe(weights);
    return;
  }
  if (!node.checkShape(3, {shape[0], channels, kernel - 1}, "the last positions of an earlier call") ||
      !node.checkFits({shape[0], channels, shape[2], kernel}, "the input with the positions before it"))
    return;
  Value whole = past ? nn.concat({past, x}, 2) : nn.pad(nn::PadMode::Constant, x, {0, 0, kernel - 1}, {0, 0, 0}, 0);
  Value y = nn.conv(nn.toChannelsLast(whole), nn.transpose(weights, {2, 1, 0}), 1, {0, 0}, 1, channels);
  if (bias)
    y = nn.add(y, bias);
  node.setResult(0, nn.toChannelsFirst(activation == "none" ? y : activate(nn, y)));
  node.setResult(1, nn.slice(whole, 2, shape[2], kernel - 1));
}

} // namespace

void registerCarriedState(ImportRegistry &registry) {
  auto floats = [](const char *text) { return OperandRule{text, Holds::Floats, 'T'}; };
  registry.add("CausalConvWithState", 27, {floats("input"), floats("weight"), floats("bias?"), floats("past_state?")},
               importCausalConv);
  registry.add("LinearAttention", 27,
               {floats("query"),
                floats("key"),
                floats("value"),
                {"past_state?", Holds::Floats, 'S'},
                floats("decay?"),
                floats("beta?")},
               importLinearAttention);
  registry.setLimit("LinearAttention", "more than 64 positions in one call");
}

} // namespace nacre::importer::onnx_format
