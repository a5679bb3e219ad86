// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations of sums with a residual, of embeddings, and of groups of channels.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Normalization.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/attention/Rows.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/quantized/QuantizedOperands.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;

/// Reports an error unless operand `index` has `width` elements.
bool checkWidth(OperandBinder &node, size_t index, int64_t width) {
  return node.checkShape(index, width, "one element for each of the last axis");
}

/// Normalizes the last axis of `x`, scales and shifts it. Sets result 0. Sets results 1 and 2 to the mean and the
/// inverse deviation.
void setNormalized(OperandBinder &node, Value x, Normalized (*normalize)(NnBuilder &, Value, Ints, double), Value scale,
                   Value shift, double epsilon) {
  NnBuilder &nn = node.nn;
  Normalized normal = normalize(nn, x, getRank(x) - 1, epsilon);
  Value y = nn.mul(normal.result, scale);
  node.setResult(0, shift ? nn.add(y, shift) : y);
  if (normal.mean)
    node.setResult(1, normal.mean);
  node.setResult(2, normal.inverse);
}

/// Adds operands 0 and 1 and the bias, operand `bias`. Operand 1 may have no batch. Returns null after an error.
Value addResidual(OperandBinder &node, size_t bias) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 2, 3) || !node.checkBroadcastsTo(1, getShape(x), "the input"))
    return {};
  int64_t width = getShape(x).back();
  for (size_t index = 2; index <= bias; ++index)
    if (!checkWidth(node, index, width))
      return {};
  Value sum = node.nn.add(x, node.getOperand(1));
  return node.getOperand(bias) ? node.nn.add(sum, node.getOperand(bias)) : sum;
}

/// Imports the operands input, skip, gamma, beta and bias.
void importSkipLayerNormalization(OperandBinder &node) {
  double epsilon = node.getFloat("epsilon", 1e-12);
  if (Value sum = addResidual(node, 4)) {
    setNormalized(node, sum, normalizeLayer, node.getOperand(2), node.getOperand(3), epsilon);
    node.setResult(3, sum);
  }
}

/// Imports the operands input, skip, gamma and bias.
void importSkipSimplifiedLayerNormalization(OperandBinder &node) {
  double epsilon = node.getFloat("epsilon", 1e-12);
  if (Value sum = addResidual(node, 3)) {
    setNormalized(node, sum, normalizeByRms, node.getOperand(2), nullptr, epsilon);
    node.setResult(3, sum);
  }
}

/// Gathers the rows `ids` of the table in operand `index`. Returns null after an error.
Value embed(OperandBinder &node, size_t index, Value ids, int64_t width) {
  Value table = node.getOperand(index);
  if (!node.checkRank(index, 2, 2) ||
      !node.checkShape(index, {getShape(table)[0], width}, "rows as long as the word_embedding's"))
    return {};
  return pickRows(node, index, ids);
}

/// Returns the position of each id. It is operand 8, which may have no batch, or 0, 1, ... without that operand.
Value readPositions(OperandBinder &node, Ints shape) {
  Value given = node.getOperand(8);
  if (!given)
    return node.nn.counting(shape[1]);
  if (!node.checkRank(8, 2, 2) || !node.checkBroadcastsTo(8, shape, "input_ids"))
    return {};
  return given;
}

/// Returns the number of unmasked elements in each row of the mask, operand 7.
Value countUnmasked(OperandBinder &node, Ints shape) {
  NnBuilder &nn = node.nn;
  Type i32 = nn.types().getI32Type();
  if (!node.getOperand(7))
    return nn.splat(RankedTensorType::get(shape[0], i32), 0);
  if (!node.checkShape(7, shape, "like input_ids"))
    return {};
  Value isKept = nn.binary(BinaryKind::Equal, node.getOperand(7), 1.0);
  return nn.reduce(ReduceKind::Sum, nn.cast(isKept, i32), 1, /*keepDims=*/false);
}

/// Returns `x` as reals. If it is quantized, its scale and zero point have the index `number` among the node's scales.
Value readReal(OperandBinder &node, Value x, size_t number, bool isQuantized) {
  constexpr size_t scales = 8, zeros = 13;
  if (!isQuantized || !x)
    return x;
  Value scale = readScalar(node, scales + number), zero = readScalar(node, zeros + number);
  if (scale && zero)
    return dequantize(node.nn, {x, asReal(node.nn, scale), zero});
  if (!node.hasFailed())
    node.error() << node.nameOf(scales + number) << " and " << node.nameOf(zeros + number)
                 << " are required, but one is left out; name it as an input";
  return {};
}

/// Imports the operands input_ids, segment_ids, word_embedding, position_embedding, segment_embedding, gamma, beta and
/// mask. They are followed by position_ids, or by five scales and five zero points of the quantized operands.
void importEmbedLayerNormalization(OperandBinder &node, bool isQuantized) {
  NnBuilder &nn = node.nn;
  node.ignore({"mask_index_type"});
  double epsilon = node.getFloat("epsilon", 1e-12);
  Value ids = node.getOperand(0), segments = node.getOperand(1);
  if (!node.checkRank(0, 2, 2) || !node.checkRank(2, 2, 2))
    return;
  Ints shape = getShape(ids);
  int64_t width = getShape(node.getOperand(2))[1];
  if (!node.checkShape(1, shape, "like input_ids") || !checkWidth(node, 5, width) || !checkWidth(node, 6, width))
    return;
  if (!segments != !node.getOperand(4)) {
    node.error() << node.nameOf(1) << " and " << node.nameOf(4)
                 << " must be given together, but only one is; name the other as an input";
    return;
  }
  auto embedReal = [&](size_t index, Value rows) {
    return rows ? readReal(node, embed(node, index, rows, width), index - 2, isQuantized) : Value();
  };
  Value positions = isQuantized ? nn.counting(shape[1]) : readPositions(node, shape);
  Value sum = nn.add(embedReal(2, ids), embedReal(3, positions));
  if (segments)
    sum = nn.add(sum, embedReal(4, segments));
  if (!sum)
    return;
  Value y = nn.mul(normalizeLayer(nn, sum, 2, epsilon).result, readReal(node, node.getOperand(5), 3, isQuantized));
  node.setResult(0, nn.add(y, readReal(node, node.getOperand(6), 4, isQuantized)));
  if (node.wantsResult(1))
    node.setResult(1, countUnmasked(node, shape));
  node.setResult(2, sum);
}

/// Sets result 0 to `x` [N, C, ...], normalized in groups of channels, scaled, shifted and activated.
void setGroupsNormalized(OperandBinder &node, Value x, bool isLast) {
  if (!x)
    return;
  NnBuilder &nn = node.nn;
  const int64_t groups = node.getInt("groups", 0), activation = node.getInt("activation", 0);
  const double epsilon = node.getFloat("epsilon", 1e-5);
  Ints shape = getShape(x);
  if (groups < 1 || shape[1] % groups) {
    node.error() << "attribute 'groups' must divide the " << describeCount(shape[1], "channel") << " of "
                 << node.nameOf(0) << ", but is " << groups;
    return;
  }
  if (activation != 0 && activation != 1) {
    node.error() << "attribute 'activation' must be 0 (none) or 1 (SiLU), but is " << activation
                 << "; add the function as a node";
    return;
  }
  for (size_t index : {1, 2})
    if (!node.checkShape(index, shape[1], "one element for each channel"))
      return;
  const auto rank = static_cast<int64_t>(shape.size());
  Type wide = getElementType(node.getOperand(1));
  Value normal = nn.cast(nn.reshape(normalizeGroups(nn, x, groups, epsilon), shape), wide);
  Value y =
      nn.add(nn.mul(normal, nn.alignToAxis(node.getOperand(1), 1, rank)), nn.alignToAxis(node.getOperand(2), 1, rank));
  if (activation == 1)
    y = swish(nn, y);
  y = nn.cast(y, getElementType(x));
  node.setResult(isLast ? nn.toChannelsLast(y) : y);
}

/// Imports the operands X, gamma and beta.
void importGroupNorm(OperandBinder &node) {
  const bool isLast = node.getFlag("channels_last", true);
  if (node.checkRank(0, 3))
    setGroupsNormalized(node, isLast ? node.nn.toChannelsFirst(node.getOperand(0)) : node.getOperand(0), isLast);
}

/// Returns the skip, operand 3, with as many axes as the input. It may be the same at all positions.
Value readSkip(OperandBinder &node, bool isLast) {
  Value x = node.getOperand(0), skip = node.getOperand(3);
  SmallVector<int64_t> shape(getShape(x));
  if (getRank(skip) != 2)
    return node.checkBroadcastsTo(3, shape, "the input") ? skip : Value();
  const int64_t channels = isLast ? shape.back() : shape[1];
  if (!node.checkShape(3, {shape[0], channels}, "one element for each channel of each image"))
    return {};
  SmallVector<int64_t> aligned(shape.size(), 1);
  aligned[0] = shape[0];
  (isLast ? aligned.back() : aligned[1]) = channels;
  return node.nn.reshape(skip, aligned);
}

/// Imports the operands X, gamma, beta, skip and bias.
void importSkipGroupNorm(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const bool isLast = node.getFlag("channels_last", true);
  Value x = node.getOperand(0), bias = node.getOperand(4);
  if (!node.checkRank(0, 3))
    return;
  const int64_t axis = isLast ? getRank(x) - 1 : 1;
  Value skip = readSkip(node, isLast);
  if (!skip || !node.checkShape(4, getShape(x)[axis], "one element for each channel"))
    return;
  Value sum = nn.add(x, skip);
  if (bias)
    sum = nn.add(sum, nn.alignToAxis(bias, axis, getRank(x)));
  if (!sum)
    return;
  setGroupsNormalized(node, isLast ? nn.toChannelsFirst(sum) : sum, isLast);
  node.setResult(1, sum);
}

} // namespace

void registerNormalizations(ImportRegistry &registry) {
  const OperandRule input{"input", Holds::Floats, 'T'}, skip{"skip", Holds::Floats, 'T'},
      gamma{"gamma", Holds::Floats, 'T'};
  const OperandRule bias{"bias?", Holds::Floats, 'T'};
  registry.add("EmbedLayerNormalization", 1,
               {{"input_ids", Holds::Indices},
                {"segment_ids?", Holds::Indices},
                {"word_embedding", Holds::Floats, 'T'},
                {"position_embedding", Holds::Floats, 'T'},
                {"segment_embedding?", Holds::Floats, 'T'},
                {"gamma", Holds::Floats, 'T'},
                {"beta", Holds::Floats, 'T'},
                {"mask?", Holds::Indices},
                {"position_ids?", Holds::Indices}},
               [](OperandBinder &node) { importEmbedLayerNormalization(node, /*isQuantized=*/false); });
  const OperandRule x{"X", Holds::Floats, 'T'}, scale{"gamma", Holds::Floats, 'M'}, shift{"beta", Holds::Floats, 'M'};
  registry.add("GroupNorm", 1, {x, scale, shift}, importGroupNorm);
  registry.add("QEmbedLayerNormalization", 1,
               {{"input_ids", Holds::Indices},
                {"segment_ids?", Holds::Indices},
                {"word_embedding", Holds::Bytes, 'W'},
                {"position_embedding", Holds::Bytes, 'P'},
                {"segment_embedding?", Holds::Bytes, 'S'},
                {"gamma", Holds::Bytes, 'G'},
                {"beta", Holds::Bytes, 'B'},
                {"mask?", Holds::Indices},
                {"word_embedding_scale?", Holds::Floats},
                {"position_embedding_scale?", Holds::Floats},
                {"segment_embedding_scale?", Holds::Floats},
                {"gamma_scale?", Holds::Floats},
                {"beta_scale?", Holds::Floats},
                {"word_embedding_zero_point?", Holds::Bytes, 'W'},
                {"position_embedding_zero_point?", Holds::Bytes, 'P'},
                {"segment_embedding_zero_point?", Holds::Bytes, 'S'},
                {"gamma_zero_point?", Holds::Bytes, 'G'},
                {"beta_zero_point?", Holds::Bytes, 'B'}},
               [](OperandBinder &node) { importEmbedLayerNormalization(node, /*isQuantized=*/true); });
  registry.add("SkipGroupNorm", 1, {x, scale, shift, {"skip", Holds::Floats, 'T'}, {"bias?", Holds::Floats, 'T'}},
               importSkipGroupNorm);
  registry.add("SkipLayerNormalization", 1, {input, skip, gamma, {"beta?", Holds::Floats, 'T'}, bias},
               importSkipLayerNormalization);
  registry.add("SkipSimplifiedLayerNormalization", 1, {input, skip, gamma, bias},
               importSkipSimplifiedLayerNormalization);
}

} // namespace nacre::importer::onnx_format::contrib
