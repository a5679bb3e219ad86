// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with its projection, and multi-head attention. Both hide keys by a large negative value instead of
// infinity. So a query that sees no key gets the mean of all values.
//
// The parts of this file are the projection with its attention, packed and separate operands, and the attention of
// these operands. A projection has reals or integers.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/contrib/AttentionOperands.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/quantized/QuantizedOperands.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

struct Heads {
  Value query, key, value; ///< [batch, heads, positions, width]

  bool isWhole() const { return query && key && value; }
};

/// Returns the number of heads, or 0 after an error.
int64_t readHeads(OperandBinder &node, Ints widths) {
  int64_t heads = node.getInt("num_heads", 0);
  if (heads >= 1 && llvm::all_of(widths, [&](int64_t width) { return width % heads == 0; }))
    return heads;
  InFlightDiagnostic error = node.error() << "attribute 'num_heads' must divide ";
  llvm::interleaveComma(widths, error);
  error << ", but is " << heads;
  return 0;
}

/// Indices of the operands that all forms of attention have.
struct Places {
  size_t mask, bias, past;
};
constexpr size_t nowhere = ~size_t(0); ///< index of an operand that the operator does not have

/// Adds up the biases of the scores and computes attention. Returns no result after an error.
Attended attendTo(OperandBinder &node, const Heads &heads, const Places &places) {
  NnBuilder &nn = node.nn;
  Attention attention;
  attention.query = heads.query;
  attention.key = heads.key;
  attention.value = heads.value;
  attention.scale = readScale(node, heads.query);
  attention.keepsScores = node.wantsResult(3);
  ScoreShape scores = getScoreShape(heads.query, heads.key, node.getOperand(places.past));
  if (!node.checkFits({scores.batch, scores.heads, scores.queries, scores.keys}, "the scores"))
    return {};
  attention.bias = addBias(nn, readMask(node, places.mask, scores, getElementType(heads.query)),
                           readBias(node, places.bias, scores));
  if (node.getFlag("unidirectional", false))
    attention.reach = hideBehind(nn, scores);
  return node.hasFailed() ? Attended() : attend(nn, attention);
}

/// Reports an error if past and present share a buffer, because the buffer may be filled only in part.
bool checkNothingIsShared(OperandBinder &node) {
  if (!node.getFlag("past_present_share_buffer", false))
    return true;
  node.error() << "attribute 'past_present_share_buffer' must be 0, but is 1: preallocated caches are not supported";
  return false;
}

//===----------------------------------------------------------------------===//
// 1. Attention with its projection
//===----------------------------------------------------------------------===//

/// Reports an error unless operands 0 to 2 are an input, weights and a bias with matching shapes.
bool checkProjection(OperandBinder &node) {
  Value input = node.getOperand(0), weights = node.getOperand(1);
  if (!node.checkRank(0, 3, 3) || !node.checkRank(1, 2, 2))
    return false;
  int64_t columns = getShape(weights)[1];
  return node.checkShape(1, {getShape(input)[2], columns}, "a row for each of the input's last axis") &&
         node.checkShape(2, columns, "one element for each column of the weights") &&
         node.checkFits({getShape(input)[0], getShape(input)[1], columns});
}

/// Splits the columns of `product` into query, key and value.
Heads divide(OperandBinder &node, Value product) {
  NnBuilder &nn = node.nn;
  if (!product)
    return {};
  int64_t columns = getShape(product)[2], third = columns / 3;
  SmallVector<int64_t> widths = node.getInts("qkv_hidden_sizes", {third, third, columns - 2 * third});
  bool isDivided = widths.size() == 3 && widths[0] == widths[1] && widths[0] >= 0 && widths[2] >= 0 &&
                   widths[0] <= columns && widths[2] <= columns && widths[0] + widths[1] + widths[2] == columns;
  if (!isDivided) {
    InFlightDiagnostic error =
        node.error()
        << "the " << describeCount(columns, "column")
        << " of the weights must split into query, key and value, the first two equally wide, but split into ";
    llvm::interleaveComma(widths, error);
    return {};
  }
  int64_t heads = readHeads(node, widths);
  if (!heads)
    return {};
  auto part = [&](int64_t start, int64_t width) { return splitHeads(nn, nn.slice(product, 2, start, width), heads); };
  return {part(0, widths[0]), part(widths[0], widths[1]), part(widths[0] + widths[1], widths[2])};
}

/// Projects the operands input, weights and bias. Returns null after an error.
Value project(OperandBinder &node) {
  if (!checkProjection(node))
    return {};
  Value product = node.nn.matmul(node.getOperand(0), node.getOperand(1)), bias = node.getOperand(2);
  return bias ? node.nn.add(product, bias) : product;
}

/// Projects quantized operands: input, weights, bias, input_scale, weight_scale, mask_index, input_zero_point and
/// weight_zero_point. Returns null after an error.
Value projectIntegers(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!checkProjection(node))
    return {};
  const int64_t columns = getShape(node.getOperand(1))[1];
  Value bias = node.getOperand(2), inputZero = readScalar(node, 6);
  Value inputScale = nn.cast(readScalar(node, 3), getElementType(bias));
  Value scale = nn.cast(readScalarOrVector(node, 4, columns, "columns"), getElementType(bias));
  Value zero = readScalarOrVector(node, 7, columns, "columns");
  if (node.hasFailed())
    return {};
  Value sums = integerMatMul(nn, node.getOperand(0), inputZero, node.getOperand(1), zero);
  Value real = nn.mul(nn.cast(sums, getElementType(bias)), nn.mul(inputScale, scale));
  return nn.add(real, bias);
}

/// Adds the keys and values of earlier positions in operand `index` [2, batch, heads, positions, width].
bool addState(OperandBinder &node, size_t index, Heads &heads) {
  NnBuilder &nn = node.nn;
  Value past = node.getOperand(index);
  if (!past)
    return true;
  Ints k = getShape(heads.key), v = getShape(heads.value);
  if (!node.checkRank(index, 5, 5) ||
      !node.checkShape(index, {2, k[0], k[1], getShape(past)[3], k[3]}, "keys and values of earlier positions"))
    return false;
  if (k[3] != v[3]) {
    node.error() << "keys and values must have the same width to share " << node.nameOf(index) << ", but are "
                 << describe(heads.key) << " and " << describe(heads.value);
    return false;
  }
  Ints single = getShape(past).drop_front();
  heads.key = nn.concat({nn.reshape(nn.slice(past, 0, 0, 1), single), heads.key}, 2);
  heads.value = nn.concat({nn.reshape(nn.slice(past, 0, 1, 1), single), heads.value}, 2);
  return heads.isWhole();
}

/// Returns the keys and values as one tensor.
Value joinState(NnBuilder &nn, const Heads &heads) {
  auto alone = [&](Value x) {
    SmallVector<int64_t> shape(getShape(x));
    shape.insert(shape.begin(), 1);
    return nn.reshape(x, shape);
  };
  return nn.concat({alone(heads.key), alone(heads.value)}, 0);
}

/// Imports attention whose projection is computed by `project`, which returns null after an error.
void importProjected(OperandBinder &node, Value (*project)(OperandBinder &), const Places &places) {
  if (!checkNothingIsShared(node))
    return;
  if (node.getFlag("do_rotary", false)) {
    node.error() << "attribute 'do_rotary' must be 0, but is 1; export the model with RotaryEmbedding nodes";
    return;
  }
  node.ignore({"rotary_embedding_dim"});
  Heads heads = divide(node, project(node));
  if (!heads.isWhole() || !addState(node, places.past, heads))
    return;
  Attended attended = attendTo(node, heads, places);
  node.setResult(0, attended.merged);
  if (node.wantsResult(1) && getShape(heads.key) == getShape(heads.value))
    node.setResult(1, joinState(node.nn, heads));
}

//===----------------------------------------------------------------------===//
// 2. Query, key and value, packed or separate
//===----------------------------------------------------------------------===//

/// Returns part `part` of a tensor [batch, positions, heads, parts, width] as [batch, heads, positions, width].
Value unpack(NnBuilder &nn, Value packed, int64_t part) {
  Ints shape = getShape(packed);
  Value x = nn.reshape(nn.slice(packed, 3, part, 1), {shape[0], shape[1], shape[2], shape[4]});
  return nn.transpose(x, {0, 2, 1, 3});
}

/// Adds the bias, operand 3, from column `start` on to `x` [batch, heads, positions, width].
Value addColumns(OperandBinder &node, Value x, int64_t start) {
  NnBuilder &nn = node.nn;
  Value bias = node.getOperand(3);
  if (!bias || !x)
    return x;
  int64_t heads = getShape(x)[1], width = getShape(x)[3];
  return nn.add(x, nn.reshape(nn.slice(bias, 0, start, heads * width), {heads, 1, width}));
}

/// Reads keys and values, which are packed in operand 1, or separate in operands 1 and 2. Operands with four axes are
/// already split into heads.
bool readKeyAndValue(OperandBinder &node, int64_t heads, Heads &result) {
  NnBuilder &nn = node.nn;
  Value key = node.getOperand(1), value = node.getOperand(2);
  Ints query = getShape(result.query);
  if (!node.checkRank(1, 3, 5))
    return false;
  if (getRank(key) == 5) {
    if (!node.checkShape(1, {query[0], getShape(key)[1], heads, 2, query[3]}, "keys and values packed"))
      return false;
    result.key = unpack(nn, key, 0);
    result.value = unpack(nn, key, 1);
    return true;
  }
  if (!value) {
    node.error() << node.nameOf(2) << " is required unless " << node.nameOf(1)
                 << " has five axes, or is left out as well";
    return false;
  }
  if (!node.checkRank(2, getRank(key), getRank(key)))
    return false;
  bool isSplit = getRank(key) == 4;
  if (!isSplit && getShape(value)[2] % heads) {
    node.error() << "attribute 'num_heads' must divide the last axis of " << node.nameOf(2) << ", but is " << heads
                 << " for " << describe(value);
    return false;
  }
  int64_t positions = getShape(key)[isSplit ? 2 : 1];
  if (isSplit ? !node.checkShape(1, {query[0], heads, positions, query[3]}, "keys of each head") ||
                    !node.checkShape(2, {query[0], heads, positions, getShape(value)[3]}, "values of each head")
              : !node.checkShape(1, {query[0], positions, heads * query[3]}, "keys of the query's width") ||
                    !node.checkShape(2, {query[0], positions, getShape(value)[2]}, "a value for each key"))
    return false;
  result.key = isSplit ? key : splitHeads(nn, key, heads);
  result.value = isSplit ? value : splitHeads(nn, value, heads);
  return true;
}

/// Reads operands 0 to 3: query, key, value, bias.
Heads readParts(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value query = node.getOperand(0), key = node.getOperand(1);
  if (!node.checkRank(0, key ? 3 : 5, key ? 3 : 5))
    return {};
  int64_t heads = readHeads(node, getShape(query)[2]);
  if (!heads)
    return {};
  Heads result;
  if (key) {
    result.query = splitHeads(nn, query, heads);
    if (!result.query || !readKeyAndValue(node, heads, result))
      return {};
  } else {
    Ints shape = getShape(query);
    if (!node.checkShape(0, {shape[0], shape[1], heads, 3, shape[4]}, "queries, keys and values packed"))
      return {};
    result = {unpack(nn, query, 0), unpack(nn, query, 1), unpack(nn, query, 2)};
  }
  if (!result.isWhole())
    return {};
  int64_t width = heads * getShape(result.query)[3], valueWidth = heads * getShape(result.value)[3];
  if (!node.checkShape(3, 2 * width + valueWidth, "one element for each column of query, key and value"))
    return {};
  result.query = addColumns(node, result.query, 0);
  if (key && getRank(key) == 4)
    return result;
  result.key = addColumns(node, result.key, width);
  result.value = addColumns(node, result.value, 2 * width);
  return result;
}

//===----------------------------------------------------------------------===//
// 3. Attention of many heads
//===----------------------------------------------------------------------===//

/// Imports the operands query, key, value, bias, key_padding_mask, attention_bias, past_key and past_value.
void importMultiHeadAttention(OperandBinder &node) {
  Heads heads = readParts(node);
  if (!heads.isWhole())
    return;
  if (!node.getOperand(6) != !node.getOperand(7)) {
    node.error() << node.nameOf(6) << " and " << node.nameOf(7)
                 << " must be given together, but only one is; name the other as an input";
    return;
  }
  heads.key = addPast(node, 6, heads.key);
  heads.value = addPast(node, 7, heads.value);
  if (!heads.isWhole())
    return;
  if (getShape(heads.key)[2] != getShape(heads.value)[2]) {
    node.error() << node.nameOf(6) << " and " << node.nameOf(7) << " must hold the same number of positions, but are "
                 << describe(node.getOperand(6)) << " and " << describe(node.getOperand(7));
    return;
  }
  Attended attended = attendTo(node, heads, {/*mask=*/4, /*bias=*/5, /*past=*/6});
  node.setResult(0, attended.merged);
  node.setResult(1, heads.key);
  node.setResult(2, heads.value);
  if (node.wantsResult(3))
    node.setResult(3, attended.biased);
}

} // namespace

void registerAttention(ImportRegistry &registry) {
  auto floats = [](const char *text) { return OperandRule{text, Holds::Floats, 'T'}; };
  auto indices = [](const char *text) { return OperandRule{text, Holds::Indices}; };
  registry.add("Attention", 1,
               {floats("input"), floats("weights"), floats("bias?"), indices("mask_index?"), floats("past?"),
                floats("attention_bias?"), indices("past_sequence_length?")},
               [](OperandBinder &node) { importProjected(node, project, {/*mask=*/3, /*bias=*/5, /*past=*/4}); });
  registry.setLimit("Attention", "rotation; a preallocated past");
  registry.add("QAttention", 1,
               {{"input", Holds::Bytes, 'I'},
                {"weight", Holds::Bytes, 'W'},
                floats("bias"),
                {"input_scale", Holds::Floats},
                {"weight_scale", Holds::Floats},
                indices("mask_index?"),
                {"input_zero_point?", Holds::Bytes, 'I'},
                {"weight_zero_point?", Holds::Bytes, 'W'},
                floats("past?")},
               [](OperandBinder &node) { importProjected(node, projectIntegers, {/*mask=*/5, nowhere, /*past=*/8}); });
  registry.setLimit("QAttention", "rotation; a preallocated past");
  registry.add("MultiHeadAttention", 1,
               {floats("query"), floats("key?"), floats("value?"), floats("bias?"), indices("key_padding_mask?"),
                floats("attention_bias?"), floats("past_key?"), floats("past_value?")},
               importMultiHeadAttention);
}

} // namespace nacre::importer::onnx_format::contrib
