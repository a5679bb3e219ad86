// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations. Each is `nn.normalize` over some axes, or arithmetic, followed by a scale and a shift.

#include "compiler/import/builder/OpenWeights.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Moments.h"
#include "compiler/import/compositions/Normalization.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Reports an error unless operand `index` has one element for each of the `channels` channels.
bool checkChannels(OperandBinder &node, size_t index, int64_t channels, StringRef what = "channel") {
  return node.checkShape(index, channels, "one element for each " + what);
}

/// Mode of batch normalization, which depends on the version.
struct BatchMode {
  bool isTraining;  ///< true to normalize by the moments of the batch instead of the given statistics
  bool isByChannel; ///< true if statistics are per channel; otherwise, they are per element, over the batch
};

FailureOr<BatchMode> readBatchMode(OperandBinder &node) {
  int64_t version = node.getVersion();
  BatchMode mode{version >= 14 && node.getFlag("training_mode", false), node.getFlag("spatial", true)};
  // Opsets 7 to 13 signal training by extra outputs; opset 14 replaced this with an attribute.
  if (version >= 7 && version < 14)
    for (size_t index = 1; index < 5; ++index)
      mode.isTraining |= node.wantsResult(index);
  // In older opsets, the mode was an attribute, which exporters often omitted.
  if (version < 7 && !node.getFlag("is_test", false))
    return node.error() << "attribute 'is_test' must be 1, but is 0; export the model for inference";
  return mode;
}

/// Sets the results of a training step: running statistics, and then the statistics of the batch. The channels of `x`
/// are last. With `isUpdated`, the batch changes the running statistics.
void setTrainingResults(OperandBinder &node, const Moments &batch, bool isUpdated) {
  NnBuilder &nn = node.nn;
  double momentum = node.getFloat("momentum", 0.9);
  auto update = [&](Value running, Value now) {
    if (!isUpdated)
      return running;
    return nn.add(nn.mul(running, momentum), nn.mul(nn.reshape(now, getShape(running)), 1 - momentum));
  };
  if (!batch.mean || !batch.variance)
    return;
  node.setResult(1, update(node.getOperand(3), batch.mean));
  node.setResult(2, update(node.getOperand(4), batch.variance));
  if (node.getVersion() >= 14)
    return;
  node.setResult(3, nn.reshape(batch.mean, getShape(node.getOperand(3))));
  node.setResult(4, nn.reshape(batch.variance, getShape(node.getOperand(4))));
}

/// Updates the statistics of a trained model, which are variables.
void keepStatistics(OperandBinder &node, OpenWeights &weights, const Moments *batch) {
  NnBuilder &nn = node.nn;
  const double momentum = node.getFloat("momentum", 0.9);
  auto keep = [&](Value running, Value now) {
    weights.setStatistic(running);
    if (now)
      weights.assign(running, nn.add(nn.mul(running, momentum), nn.mul(now, 1 - momentum)));
  };
  keep(node.getOperand(3), batch ? batch->mean : Value());
  keep(node.getOperand(4), batch ? batch->variance : Value());
}

void importBatchNormalization(OperandBinder &node) {
  node.ignore({"momentum", "is_test"});
  NnBuilder &nn = node.nn;
  FailureOr<BatchMode> mode = readBatchMode(node);
  if (failed(mode) || !node.checkRank(0, 1))
    return;
  Value x = node.getOperand(0);
  if (getRank(x) == 1) // one channel
    x = nn.reshape(x, {getShape(x)[0], 1});
  if (!x)
    return node.fail();
  SmallVector<int64_t> parameters{getShape(x)[1]};
  if (!mode->isByChannel)
    parameters.assign(getShape(x).begin() + 1, getShape(x).end());
  for (size_t index = 1; index <= 4; ++index)
    if (!node.checkShape(index, parameters,
                         mode->isByChannel ? "one element for each channel"
                                           : "one for each element of the batch's members"))
      return;
  Value rows = mode->isByChannel ? nn.toChannelsLast(x) : x;
  Value scale = node.getOperand(1), shift = node.getOperand(2);
  Moments statistics{node.getOperand(3), node.getOperand(4)};
  OpenWeights *weights = nn.getWeights();
  const bool isTrained = weights && weights->normalizesByBatch(scale);
  const double epsilon = node.getFloat("epsilon", 1e-5);
  SmallVector<int64_t> axes = axisRange(0, mode->isByChannel ? getRank(x) - 1 : 1);
  if (isTrained || (mode->isTraining && !weights)) {
    statistics = computeMoments(nn, nn.cast(rows, getElementType(statistics.mean)), axes, /*keepDims=*/false);
  }
  // Exports in training mode name these results even if no node reads them.
  if (mode->isTraining)
    setTrainingResults(node, statistics, /*isUpdated=*/isTrained || !weights);
  if (weights)
    keepStatistics(node, *weights, isTrained ? &statistics : nullptr);
  // The gradient of nn.normalize, a single operator, has smaller rounding errors than the gradients of a composition.
  Value y = isTrained ? nn.add(nn.mul(nn.normalize(rows, axes, epsilon), scale), shift)
                      : normalizeBy(nn, rows, statistics, scale, shift, epsilon);
  node.setResult(nn.reshape(mode->isByChannel ? nn.toChannelsFirst(y) : y, getShape(node.getOperand(0))));
}

void importInstanceNormalization(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  // A tensor without spatial axes has no elements over which it could be normalized.
  if (!node.checkRank(0, 3) || !checkChannels(node, 1, getShape(x)[1]) || !checkChannels(node, 2, getShape(x)[1]))
    return;
  Value normal = nn.normalize(nn.toChannelsLast(x), axisRange(1, getRank(x) - 1), node.getFloat("epsilon", 1e-5));
  node.setResult(nn.toChannelsFirst(nn.add(nn.mul(normal, node.getOperand(1)), node.getOperand(2))));
}

/// Imports a group normalization. Scale and shift have one element per group in version 18, and one per channel since
/// version 21.
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
    node.error() << "attribute 'num_groups' must divide the " << describeCount(channels, "channel") << " of "
                 << describe(x) << ", but is " << groups;
    return;
  }
  bool isByGroup = node.getVersion() < 21;
  int64_t parameters = isByGroup ? groups : channels;
  StringRef what = isByGroup ? "group" : "channel";
  if (!checkChannels(node, 1, parameters, what) || !checkChannels(node, 2, parameters, what))
    return;
  auto rank = static_cast<int64_t>(shape.size()) + 1;
  Value normal = normalizeGroups(nn, x, groups, node.getFloat("epsilon", 1e-5));
  auto apply = [&](Value y, int64_t rank) {
    Value scale = nn.alignToAxis(node.getOperand(1), 1, rank), shift = nn.alignToAxis(node.getOperand(2), 1, rank);
    return nn.add(nn.mul(y, scale), shift);
  };
  if (parameters == groups)
    node.setResult(nn.reshape(apply(normal, rank), shape));
  else
    node.setResult(apply(nn.reshape(normal, shape), rank - 1));
}

/// Imports a layer normalization. The result has the type of the scale. In ONNX Runtime, this type may differ from the
/// operand's type.
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
  Value scale = node.getOperand(1);
  Value y = nn.mul(nn.cast(normal.result, getElementType(scale)), scale);
  node.setResult(0, node.getOperand(2) ? nn.add(y, node.getOperand(2)) : y);
  node.setResult(1, normal.mean);
  node.setResult(2, normal.inverse);
}

/// Imports an RMS normalization. The result has the type of the scale, which may differ from the operand's type.
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

/// Computes (x - mean) / (deviation + 1e-9).
void importMeanVarianceNormalization(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool isOld = node.getVersion() < 9; // the axes were all spatial axes, with or without the channels
  SmallVector<int64_t> given = node.getInts("axes", {0, 2, 3});
  if (isOld)
    given = axisRange(node.getFlag("across_channels", false) ? 1 : 2, getRank(x));
  bool scales = !isOld || node.getFlag("normalize_variance", true);
  FailureOr<SmallVector<int64_t>> axes = node.getAxes(given, getRank(x));
  if (failed(axes))
    return;
  llvm::sort(*axes);
  Moments moments = computeMoments(nn, x, *axes, /*keepDims=*/true);
  Value centred = nn.sub(x, moments.mean);
  node.setResult(scales ? nn.div(centred, nn.add(nn.unary(UnaryKind::Sqrt, moments.variance), 1e-9)) : centred);
}

void importLpNormalization(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t p = node.getInt("p", 2);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x));
  if (failed(axis))
    return;
  if (p != 1 && p != 2) {
    node.error() << "attribute 'p' must be 1 or 2, but is " << p << "; express other norms with Pow and ReduceSum";
    return;
  }
  Value powers = p == 1 ? nn.unary(UnaryKind::Abs, x) : nn.mul(x, x);
  Value norm = nn.reduce(ReduceKind::Sum, powers, *axis, /*keepDims=*/true);
  if (p == 2)
    norm = nn.unary(UnaryKind::Sqrt, norm);
  // If the norm is zero, all elements are zero. They remain zero.
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
  if (!node.checkFits(padded, "the channel-padded input"))
    return;
  Value y = nn.lrn(nn.toChannelsLast(x), size, node.getFloat("alpha", 1e-4), node.getFloat("beta", 0.75),
                   node.getFloat("bias", 1));
  node.setResult(nn.toChannelsFirst(y));
}

/// Imports a softmax along one axis, since version 13.
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

/// Returns 1 at the first largest element along the axis, and 0 elsewhere.
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
  Value positions = nn.counting(getShape(table)[axis]);
  Value isLargest = nn.binary(BinaryKind::Equal, largest, nn.alignToAxis(positions, axis, getRank(table)));
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
  registry.add("BatchNormalization", 1, withStatistics, importBatchNormalization);
  registry.setLimit("BatchNormalization", "training before version 7");
  registry.add("GroupNormalization", 18, shifted, importGroupNormalization);
  registry.add("Hardmax", 1, floats, importHardmax);
  registry.add("InstanceNormalization", 1, shifted, importInstanceNormalization);
  registry.add("LRN", 1, floats, importLrn);
  // ONNX Runtime adds these two operators to the standard domain. Its exporter and optimizer use them in models of
  // older operator sets.
  registry.add("LayerNormalization", 1,
               {{"X", Holds::Floats, 'T'}, {"scale", Holds::Floats, 'V'}, {"B?", Holds::Floats, 'V'}},
               importLayerNormalization);
  registry.add("SimplifiedLayerNormalization", 1, scaled, importRMSNormalization);
  registry.add("LayerNormalization", 17, maybeShifted, importLayerNormalization);
  registry.add("LpNormalization", 1, floats, importLpNormalization);
  registry.setLimit("LpNormalization", "norms except L1 and L2");
  registry.add("MeanVarianceNormalization", 1, floats, importMeanVarianceNormalization);
  registry.add("RMSNormalization", 23, scaled, importRMSNormalization);
  for (bool log : {false, true}) {
    StringRef op = log ? "LogSoftmax" : "Softmax";
    registry.add(op, 1, floats, [log](OperandBinder &node) { importSoftmax1(node, log); });
    registry.add(op, 13, floats, [log](OperandBinder &node) { importSoftmax13(node, log); });
  }
}

} // namespace nacre::importer::onnx_format
