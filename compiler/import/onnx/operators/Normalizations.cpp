// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations. Each is `nn.normalize` over some axes, or arithmetic, then a scale and a shift.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Normalization.h"
#include "compiler/import/onnx/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Reports an error unless operand `index` has one element for each of `channels`.
bool checkChannels(OperandBinder &node, size_t index, int64_t channels, StringRef what = "channel") {
  return node.checkShape(index, channels, "one element for each " + what);
}

/// scale * (x - mean) / sqrt(var + epsilon) + shift, as one multiplication and one addition per element.
void importBatchNormalization(OperandBinder &node) {
  node.ignore({"momentum", "is_test", "consumed_inputs"});
  bool isTraining = node.getVersion() < 7 ? !node.getFlag("is_test", false) : node.getFlag("training_mode", false);
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (isTraining) {
    node.error() << "must compute with the statistics it has, but is in training mode; export the model for inference "
                    "(training_mode 0, or is_test 1 before opset 7)";
    return;
  }
  if (!node.getFlag("spatial", true)) {
    node.error() << "attribute 'spatial' must be 1, statistics for each channel, but is 0; export the model so";
    return;
  }
  if (!node.checkRank(0, 2))
    return;
  for (size_t index = 1; index <= 4; ++index)
    if (!checkChannels(node, index, getShape(x)[1]))
      return;
  Value scale = node.getOperand(1), shift = node.getOperand(2), mean = node.getOperand(3), var = node.getOperand(4);
  Value deviation = nn.unary(UnaryKind::Sqrt, nn.add(var, node.getFloat("epsilon", 1e-5)));
  Value factor = nn.div(nn.cast(scale, getElementType(var)), deviation);
  Value offset = nn.sub(nn.cast(shift, getElementType(var)), nn.mul(mean, factor));
  Type elementType = getElementType(x);
  Value y = nn.add(nn.mul(nn.toChannelsLast(x), nn.cast(factor, elementType)), nn.cast(offset, elementType));
  node.setResult(nn.toChannelsFirst(y));
}

void importInstanceNormalization(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  // Without a spatial axis there would be nothing to normalize over.
  if (!node.checkRank(0, 3) || !checkChannels(node, 1, getShape(x)[1]) || !checkChannels(node, 2, getShape(x)[1]))
    return;
  Value normal = nn.normalize(nn.toChannelsLast(x), axisRange(1, getRank(x) - 1), node.getFloat("epsilon", 1e-5));
  node.setResult(nn.toChannelsFirst(nn.add(nn.mul(normal, node.getOperand(1)), node.getOperand(2))));
}

/// Scale and shift have one element for each group (version 18) or channel (version 21).
void importGroupNormalization(OperandBinder &node) {
  node.ignore({"stash_type"});
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t groups = node.getInt("num_groups", 0);
  if (!node.checkRank(0, 2))
    return;
  Ints shape = getShape(x);
  int64_t channels = shape[1];
  if (groups < 1 || channels % groups) {
    node.error() << "attribute 'num_groups' must divide the " << channels << " channels of " << describe(x)
                 << ", but is " << groups;
    return;
  }
  bool isByGroup = node.getVersion() < 21;
  int64_t parameters = isByGroup ? groups : channels;
  StringRef what = isByGroup ? "group" : "channel";
  if (!checkChannels(node, 1, parameters, what) || !checkChannels(node, 2, parameters, what))
    return;
  SmallVector<int64_t> grouped(shape);
  grouped[1] = groups;
  grouped.insert(grouped.begin() + 2, channels / groups);
  auto rank = static_cast<int64_t>(grouped.size());
  Value normal = nn.normalize(nn.reshape(x, grouped), axisRange(2, rank), node.getFloat("epsilon", 1e-5));
  auto apply = [&](Value y, int64_t rank) {
    Value scale = nn.alignToAxis(node.getOperand(1), 1, rank), shift = nn.alignToAxis(node.getOperand(2), 1, rank);
    return nn.add(nn.mul(y, scale), shift);
  };
  if (parameters == groups)
    node.setResult(nn.reshape(apply(normal, rank), shape));
  else
    node.setResult(apply(nn.reshape(normal, shape), rank - 1));
}

void importLayerNormalization(OperandBinder &node) {
  node.ignore({"stash_type"});
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  double epsilon = node.getFloat("epsilon", 1e-5);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x));
  if (failed(axis))
    return;
  if (!node.checkBroadcastsTo(1, getShape(x), "the input") || !node.checkBroadcastsTo(2, getShape(x), "the input"))
    return;
  Normalized normal = normalizeLayer(nn, x, axisRange(*axis, getRank(x)), epsilon);
  Value y = nn.mul(normal.result, node.getOperand(1));
  node.setResult(0, node.getOperand(2) ? nn.add(y, node.getOperand(2)) : y);
  node.setResult(1, normal.mean);
  node.setResult(2, normal.inverse);
}

/// The result has the type of the scale, which may be another than the operand has.
void importRMSNormalization(OperandBinder &node) {
  node.ignore({"stash_type"});
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), scale = node.getOperand(1);
  double epsilon = node.getFloat("epsilon", 1e-5);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x));
  if (failed(axis) || !node.checkBroadcastsTo(1, getShape(x), "the input"))
    return;
  Normalized normal = normalizeByRms(nn, x, axisRange(*axis, getRank(x)), epsilon);
  node.setResult(0, nn.mul(nn.cast(normal.result, getElementType(scale)), scale));
  node.setResult(1, normal.inverse);
}

/// (x - mean) / (deviation + 1e-9)
void importMeanVarianceNormalization(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> axes = node.getAxes(node.getInts("axes", {0, 2, 3}), getRank(x));
  if (failed(axes))
    return;
  llvm::sort(*axes);
  Value centred = nn.sub(x, nn.reduce(ReduceKind::Mean, x, *axes, /*keepDims=*/true));
  Value variance = nn.reduce(ReduceKind::Mean, nn.mul(centred, centred), *axes, /*keepDims=*/true);
  node.setResult(nn.div(centred, nn.add(nn.unary(UnaryKind::Sqrt, variance), 1e-9)));
}

void importLpNormalization(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t p = node.getInt("p", 2);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x));
  if (failed(axis))
    return;
  if (p != 1 && p != 2) {
    node.error() << "attribute 'p' must be 1 or 2, but is " << p << "; spell other norms out with Pow and ReduceSum";
    return;
  }
  Value powers = p == 1 ? nn.unary(UnaryKind::Abs, x) : nn.mul(x, x);
  Value norm = nn.reduce(ReduceKind::Sum, powers, *axis, /*keepDims=*/true);
  if (p == 2)
    norm = nn.unary(UnaryKind::Sqrt, norm);
  // Where the norm is zero all elements are, and stay so.
  Value divisor = nn.select(nn.binary(BinaryKind::Equal, norm, 0.0), nn.scalar(x, 1), norm);
  node.setResult(nn.div(x, divisor));
}

void importLrn(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t size = node.getInt("size", 0);
  if (!node.checkRank(0, 2))
    return;
  if (size < 1 || size > INT32_MAX) {
    node.error() << "attribute 'size' must be a number of channels, 1 or more, but is " << size;
    return;
  }
  SmallVector<int64_t> padded(getShape(x));
  padded[1] += size - 1;
  if (!node.checkFits(padded, "the input with the channels beyond its ends"))
    return;
  Value y = nn.lrn(nn.toChannelsLast(x), size, node.getFloat("alpha", 1e-4), node.getFloat("beta", 0.75),
                   node.getFloat("bias", 1));
  node.setResult(nn.toChannelsFirst(y));
}

/// Along one axis, from version 13 on.
void importSoftmax13(OperandBinder &node, bool log) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x));
  if (succeeded(axis))
    node.setResult(node.nn.softmax(x, *axis, log));
}

void importSoftmax1(OperandBinder &node, bool log) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 1), getRank(x));
  if (failed(axis))
    return;
  bool isLast = *axis == getRank(x) - 1;
  Value matrix = isLast ? x : toMatrix(node.nn, x, *axis);
  node.setResult(node.nn.reshape(node.nn.softmax(matrix, isLast ? *axis : 1, log), getShape(x)));
}

/// One where the largest element of the axis is first met, zero elsewhere.
void importHardmax(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool isOld = node.getVersion() < 13;
  FailureOr<int64_t> given = node.getAxis(node.getInt("axis", isOld ? 1 : -1), getRank(x));
  if (failed(given))
    return;
  Value table = isOld ? toMatrix(node.nn, x, *given) : x;
  int64_t axis = isOld ? 1 : *given;
  if (!table)
    return;
  if (getShape(table)[axis] == 0) {
    node.error() << node.nameOf(0) << " must have elements to choose from, but is " << describe(x);
    return;
  }
  Value largest = nn.argReduce(nn::ArgKind::Max, table, axis, /*keepDims=*/true, /*selectLast=*/false);
  SmallVector<int64_t> positions = axisRange(0, getShape(table)[axis]);
  Value isLargest = nn.binary(BinaryKind::Equal, largest, nn.alignToAxis(nn.integers(positions), axis, getRank(table)));
  node.setResult(nn.reshape(nn.cast(isLargest, getElementType(x)), getShape(x)));
}

} // namespace

void registerNormalizations(ImportRegistry &registry) {
  const Signature floats{{"X", Holds::Floats}};
  const Signature scaled{{"X", Holds::Floats, 'T'}, {"scale", Holds::Floats, 'V'}};
  const Signature shifted{{"X", Holds::Floats, 'T'}, {"scale", Holds::Floats, 'T'}, {"B", Holds::Floats, 'T'}};
  const Signature maybeShifted{{"X", Holds::Floats, 'T'}, {"Scale", Holds::Floats, 'T'}, {"B?", Holds::Floats, 'T'}};
  const Signature withStatistics{{"X", Holds::Floats},
                                 {"scale", Holds::Floats},
                                 {"B", Holds::Floats},
                                 {"input_mean", Holds::Floats, 'U'},
                                 {"input_var", Holds::Floats, 'U'}};
  registry.add("BatchNormalization", 6, withStatistics, importBatchNormalization);
  registry.add("GroupNormalization", 18, shifted, importGroupNormalization);
  registry.add("Hardmax", 1, floats, importHardmax);
  registry.add("InstanceNormalization", 6, shifted, importInstanceNormalization);
  registry.add("LRN", 1, floats, importLrn);
  registry.add("LayerNormalization", 17, maybeShifted, importLayerNormalization);
  registry.add("LpNormalization", 1, floats, importLpNormalization);
  registry.add("MeanVarianceNormalization", 9, floats, importMeanVarianceNormalization);
  registry.add("RMSNormalization", 23, scaled, importRMSNormalization);
  // Optimizers of ONNX Runtime write theirs in the standard domain.
  registry.add("SimplifiedLayerNormalization", 1, scaled, importRMSNormalization);
  for (bool log : {false, true}) {
    StringRef op = log ? "LogSoftmax" : "Softmax";
    registry.add(op, 1, floats, [log](OperandBinder &node) { importSoftmax1(node, log); });
    registry.add(op, 13, floats, [log](OperandBinder &node) { importSoftmax13(node, log); });
  }
}

} // namespace nacre::importer::onnx_format
