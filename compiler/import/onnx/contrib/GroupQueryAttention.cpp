// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal attention of language models, in which groups of query heads share keys and values, with an optional rotation
// by position.
//
// The parts of this file are operands, rotation, earlier positions, and the operator.

#include "compiler/import/compositions/attention/RotaryEmbedding.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/attention/RotaryEmbedding.h"
#include "compiler/import/onnx/attention/Rows.h"
#include "compiler/import/onnx/contrib/AttentionOperands.h"
#include "compiler/import/onnx/contrib/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

enum Operand : size_t {
  Query,
  Key,
  ValueOperand,
  PastKey,
  PastValue,
  LastPositions,
  TotalLength,
  Cosines,
  Sines,
  Positions,
  Bias,
  Sink
};

//===----------------------------------------------------------------------===//
// 1. Operands
//===----------------------------------------------------------------------===//

struct Heads {
  Value query, key, value; ///< [batch, heads, positions, width]
};

/// Reads query, key and value. The first operand may hold all three. The query is null after an error.
Heads readHeads(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value query = node.getOperand(Query), key = node.getOperand(Key), value = node.getOperand(ValueOperand);
  int64_t heads = node.getInt("num_heads", 0), kvHeads = node.getInt("kv_num_heads", 0);
  if (!node.checkRank(Query, 3, 3))
    return {};
  if (!key != !value) {
    node.error() << node.nameOf(Key) << " and " << node.nameOf(ValueOperand)
                 << " must be given together, but only one is; name the other as an input";
    return {};
  }
  Ints shape = getShape(query);
  bool isGrouped = kvHeads >= 1 && kvHeads <= heads && heads <= INT32_MAX && heads % kvHeads == 0;
  int64_t parts = key ? heads : heads + 2 * (isGrouped ? kvHeads : 0);
  if (!isGrouped || shape[2] % parts) {
    node.error() << "attribute 'num_heads' must be a multiple of 'kv_num_heads' and fit the last axis of "
                 << node.nameOf(Query) << ", but they are " << heads << " and " << kvHeads << " for "
                 << describe(query);
    return {};
  }
  int64_t width = shape[2] / parts;
  if (!key) {
    auto part = [&](int64_t first, int64_t count) {
      return splitHeads(nn, nn.slice(query, 2, first * width, count * width), count);
    };
    return {part(0, heads), part(heads, kvHeads), part(heads + kvHeads, kvHeads)};
  }
  if (!node.checkShape(Key, {shape[0], shape[1], kvHeads * width}, "a key for each position of the query") ||
      !node.checkShape(ValueOperand, {shape[0], shape[1], kvHeads * width}, "a value for each position of the query"))
    return {};
  return {splitHeads(nn, query, heads), splitHeads(nn, key, kvHeads), splitHeads(nn, value, kvHeads)};
}

//===----------------------------------------------------------------------===//
// 2. Rotation
//===----------------------------------------------------------------------===//

/// Returns the rows of cache `index` for the node's positions, or for the positions from `first` on if the node has
/// none. The rows broadcast to heads.
Value readCache(OperandBinder &node, size_t index, Ints query, int64_t first) {
  NnBuilder &nn = node.nn;
  Value cache = node.getOperand(index), positions = node.getOperand(Positions);
  int64_t batch = query[0], count = query[2], width = query[3];
  if (!cache) {
    node.error() << node.nameOf(index) << " is required if attribute 'do_rotary' is 1, but is missing";
    return {};
  }
  if (!node.checkRank(index, 2, 2))
    return {};
  Ints shape = getShape(cache);
  if (2 * shape[1] > width || (!positions && shape[0] < first + count)) {
    node.error() << node.nameOf(index) << " must have a row for each of " << first + count << " positions, of at most "
                 << describeCount(width / 2, "number") << ", but is " << describe(cache);
    return {};
  }
  if (!positions)
    return nn.slice(cache, 0, first, count);
  if (!node.checkShape(Positions, {batch, count}, "a position for each of the query"))
    return {};
  // If there are no earlier positions, all sequences of the batch have the same positions as the first one.
  if (first == 0 && batch > 0 && count > 0) {
    Value rising = nn.reshape(nn.counting(count), {1, count});
    Type type = getElementType(positions);
    positions = nn.add(nn.slice(positions, {0, 0}, {1, 1}, {1, 1}), nn.cast(rising, type));
    batch = 1;
  }
  return nn.reshape(pickRows(node, index, positions), {batch, 1, count, shape[1]});
}

/// Rotates queries and keys if the node requests it. Returns false after an error.
bool rotateHeads(OperandBinder &node, Heads &heads, int64_t first) {
  bool isInterleaved = node.getFlag("rotary_interleaved", false);
  if (!node.getFlag("do_rotary", false))
    return true;
  Value cosines = readCache(node, Cosines, getShape(heads.query), first);
  Value sines = readCache(node, Sines, getShape(heads.query), first);
  if (!cosines || !sines || !node.checkShape(Sines, getShape(node.getOperand(Cosines)), "that of cos_cache"))
    return false;
  heads.query = rotate(node.nn, heads.query, cosines, sines, isInterleaved);
  heads.key = rotate(node.nn, heads.key, cosines, sines, isInterleaved);
  return heads.query && heads.key;
}

//===----------------------------------------------------------------------===//
// 3. Earlier positions
//===----------------------------------------------------------------------===//

/// Reads the number of earlier positions, which is the full length of the past. Returns false after an error.
bool readPast(OperandBinder &node, Ints query, int64_t &past) {
  past = 0;
  if (!node.getOperand(PastKey) != !node.getOperand(PastValue)) {
    node.error() << node.nameOf(PastKey) << " and " << node.nameOf(PastValue)
                 << " must be given together, but only one is; name the other as an input";
    return false;
  }
  if (!node.getOperand(PastKey))
    return true;
  if (!node.checkRank(PastKey, 4, 4))
    return false;
  past = getShape(node.getOperand(PastKey))[2];
  if (past == 0)
    return true;
  for (size_t index : {LastPositions, TotalLength})
    if (!node.getOperand(index)) {
      node.error() << node.nameOf(index) << " is required if " << node.nameOf(PastKey) << " is given, but is missing";
      return false;
    }
  FailureOr<int64_t> total = node.getInteger(TotalLength);
  if (failed(total))
    return false;
  if (*total != past + query[2]) {
    node.error() << node.nameOf(TotalLength) << " must be " << past + query[2] << ", the positions of "
                 << node.nameOf(PastKey) << " and those of the query, but is " << *total
                 << "; a preallocated past is not supported";
    return false;
  }
  // A single sequence always has the full length.
  if (query[0] == 1)
    return true;
  FailureOr<SmallVector<int64_t>> last = node.getIntegers(LastPositions);
  if (failed(last))
    return false;
  if (llvm::all_of(*last, [&](int64_t position) { return position == *total - 1; }))
    return true;
  node.error() << node.nameOf(LastPositions) << " must be " << *total - 1
               << " for each sequence of the batch, because all of " << node.nameOf(PastKey)
               << " is read; run sequences of different lengths one by one";
  return false;
}

//===----------------------------------------------------------------------===//
// 4. The operator
//===----------------------------------------------------------------------===//

/// Reports an error for attributes of caches that are quantized, or that discard keys themselves.
bool checkPlainState(OperandBinder &node) {
  node.ignore({"kv_cache_bit_width", "qk_norm_epsilon"});
  for (StringRef name : {"k_quant_type", "v_quant_type"})
    if (node.getString(name, "NONE") != "NONE") {
      node.error() << "attribute '" << name << "' must be NONE, but is '" << node.getString(name, "NONE")
                   << "'; export the model with a float cache";
      return false;
    }
  for (StringRef name : {"qk_output", "sliding_window_cache"})
    if (node.getFlag(name, false)) {
      node.error() << "attribute '" << name << "' is not supported; export the model without it";
      return false;
    }
  return true;
}

/// Reads the score of an additional key, which only changes the denominator of each softmax. It is an operand, or 0.
/// Sets `sink` to null if there is no such key.
bool readSink(OperandBinder &node, int64_t heads, Value &sink) {
  NnBuilder &nn = node.nn;
  bool isSmooth = node.getInt("smooth_softmax", -1) == 1;
  if (!node.checkShape(Sink, heads, "a score for each head"))
    return false;
  sink = node.getOperand(Sink);
  if (isSmooth && !sink)
    sink = nn.splat(RankedTensorType::get(heads, getElementType(node.getOperand(Query))), 0);
  return true;
}

void importGroupQueryAttention(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  int64_t past = 0, window = node.getInt("local_window_size", -1);
  bool isCausal = node.getFlag("causal", true);
  Heads heads = readHeads(node);
  if (!heads.query || !heads.key || !heads.value || !checkPlainState(node) ||
      !readPast(node, getShape(heads.query), past) || !rotateHeads(node, heads, past))
    return;
  Attention attention;
  attention.query = heads.query;
  attention.key = addPast(node, PastKey, heads.key);
  attention.value = addPast(node, PastValue, heads.value);
  if (!attention.key || !attention.value || !readSink(node, getShape(heads.query)[1], attention.sink))
    return;
  if (!node.checkShape(PastValue, node.getOperand(PastKey) ? getShape(node.getOperand(PastKey)) : Ints(),
                       "that of past_key"))
    return;
  ScoreShape scores = getScoreShape(attention.query, attention.key, node.getOperand(PastKey));
  if (!node.checkFits({scores.batch, scores.heads, scores.queries, scores.keys}, "the scores"))
    return;
  attention.scale = readScale(node, attention.query);
  attention.softcap = node.getFloat("softcap", 0);
  attention.bias = readBias(node, Bias, scores);
  if (isCausal)
    attention.reach = hideBehind(nn, scores, window);
  if (node.hasFailed())
    return;
  node.setResult(0, attend(nn, attention).merged);
  node.setResult(1, attention.key);
  node.setResult(2, attention.value);
}

/// Imports the predecessor of the standard's operator. Operand 1 has the positions. If it has one value, this is the
/// position of the first element.
void importRotary(OperandBinder &node) {
  if (node.getFloat("scale", 1) != 1 || node.getFlag("is_packed_batching", false)) {
    node.error() << "attributes 'scale' and 'is_packed_batching' must be 1 and 0; export the model without them";
    return;
  }
  importRotaryEmbedding(node, {/*cosines=*/2, /*sines=*/3, /*positions=*/1});
}

} // namespace

void registerGroupQueryAttention(ImportRegistry &registry) {
  auto floats = [](const char *text) { return OperandRule{text, Holds::Floats, 'T'}; };
  auto indices = [](const char *text) { return OperandRule{text, Holds::Indices}; };
  registry.add("GroupQueryAttention", 1,
               {floats("query"), floats("key?"), floats("value?"), floats("past_key?"), floats("past_value?"),
                indices("seqlens_k?"), indices("total_sequence_length?"), floats("cos_cache?"), floats("sin_cache?"),
                indices("position_ids?"), floats("attention_bias?"), floats("head_sink?")},
               importGroupQueryAttention);
  registry.setLimit("GroupQueryAttention", "a preallocated or quantized past; sequences of different lengths");
  registry.add("RotaryEmbedding", 1,
               {floats("input"), indices("position_ids"), floats("cos_cache"), floats("sin_cache")}, importRotary);
  registry.setLimit("RotaryEmbedding", "scale");
}

} // namespace nacre::importer::onnx_format::contrib
