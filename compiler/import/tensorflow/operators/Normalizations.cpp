// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations, softmax, and the losses that use it.

#include "compiler/import/compositions/Losses.h"
#include "compiler/import/compositions/Moments.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "compiler/import/tensorflow/operators/Layout.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::ReduceKind;

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Sets the results after the first one in training: the new running moments, then the moments of the batch for
/// gradients. The running moments are those of the batch, or a mix with the old ones. The running variance is estimated
/// from `count` samples.
void setTrainingResults(OperandBinder &node, const Moments &batch, double share, double count) {
  NnBuilder &nn = node.nn;
  Value unbiased = nn.mul(batch.variance, count > 1 ? count / (count - 1) : 1);
  auto mix = [&](Value now, size_t running) {
    return share == 1 ? now : nn.add(nn.mul(node.getOperand(running), 1 - share), nn.mul(now, share));
  };
  node.setResult(1, mix(batch.mean, 3));
  node.setResult(2, mix(unbiased, 4));
  node.setResult(3, batch.mean);
  node.setResult(4, batch.variance);
}

void importFusedBatchNorm(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Layout layout = readLayout(node, getRank(node.getOperand(0)) == 5 ? 3 : 2);
  double epsilon = node.getFloat("epsilon", 1e-4), share = node.getFloat("exponential_avg_factor", 1);
  bool isTraining = node.getFlag("is_training", true);
  auto rank = static_cast<int64_t>(layout.axes) + 2;
  if (!node.checkRank(0, rank, rank))
    return;
  Value x = layout.toLast(nn, node.getOperand(0));
  if (!x)
    return;
  int64_t channels = getShape(x).back();
  bool readsStatistics = !isTraining || share != 1;
  for (size_t index = 1; index <= (readsStatistics ? 4 : 2); ++index)
    if (!node.checkShape(index, channels, "one element for each channel"))
      return;
  Moments moments{node.getOperand(3), node.getOperand(4)};
  if (isTraining) {
    Type precise = getElementType(node.getOperand(1));
    moments = computeMoments(nn, nn.cast(x, precise), axisRange(0, rank - 1), /*keepDims=*/false);
    int64_t count = channels ? getType(x).getNumElements() / channels : 0;
    setTrainingResults(node, moments, share, static_cast<double>(count));
  } else {
    for (size_t index = 1; index < 5; ++index)
      node.setResult(index, index % 2 ? moments.mean : moments.variance);
  }
  // FusedBatchNormV3 passes one more tensor to its gradient, which only TensorFlow's kernels use.
  if (node.wantsResult(5))
    node.setResult(5, nn.splat(RankedTensorType::get({}, getElementType(node.getOperand(1))), 0));
  Value y = normalizeBy(nn, x, moments, node.getOperand(1), node.getOperand(2), epsilon);
  node.setResult(0, y ? layout.fromLast(nn, y) : Value());
}

/// Imports LRN: x / (bias + alpha * sum of squares)^beta. The sum is over 2 * depth_radius + 1 channels.
void importLrn(OperandBinder &node) {
  int64_t radius = node.getInt("depth_radius", 5);
  double bias = node.getFloat("bias", 1), alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 0.5);
  if (!node.checkRank(0, 4, 4))
    return;
  if (radius < 0 || radius > INT16_MAX) {
    node.error() << "attribute 'depth_radius' must lie between 0 and " << INT16_MAX << ", but is " << radius;
    return;
  }
  int64_t size = 2 * radius + 1;
  SmallVector<int64_t> padded(getShape(node.getOperand(0)));
  padded.back() += size - 1;
  if (node.checkFits(padded, "the channel-padded input"))
    node.setResult(node.nn.lrn(node.getOperand(0), size, alpha * static_cast<double>(size), beta, bias));
}

//===----------------------------------------------------------------------===//
// Softmax and losses
//===----------------------------------------------------------------------===//

void importSoftmax(OperandBinder &node, bool log) {
  Value x = node.getOperand(0);
  if (node.checkRank(0, 1))
    node.setResult(node.nn.softmax(x, getRank(x) - 1, log));
}

/// Imports the cross entropy of each row, -sum(labels * log(softmax(logits))), and its gradient.
void importCrossEntropy(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value logits = node.getOperand(0), labels = node.getOperand(1);
  if (!node.checkRank(0, 2, 2) || !node.checkRank(1, 2, 2))
    return;
  FailureOr<SmallVector<int64_t>> shape = node.broadcastOperands();
  if (failed(shape))
    return;
  logits = nn.broadcast(logits, *shape);
  Value products = nn.mul(nn.softmax(logits, 1, /*log=*/true), labels);
  node.setResult(0, nn.unary(nn::UnaryKind::Neg, nn.reduce(ReduceKind::Sum, products, {1}, /*keepDims=*/false)));
  if (node.wantsResult(1))
    node.setResult(1, nn.sub(nn.softmax(logits, 1, /*log=*/false), labels));
}

/// Imports the sparse cross entropy, in which the label of each row is the index of a class.
void importSparseCrossEntropy(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value logits = node.getOperand(0), labels = node.getOperand(1);
  if (!node.checkRank(0, 2, 2) || !node.checkShape(1, getShape(logits).front(), "a class for each row"))
    return;
  LikelihoodLoss loss;
  loss.reduction = LossReduction::None;
  node.setResult(0, negativeLogLikelihood(nn, nn.softmax(logits, 1, /*log=*/true), labels, loss));
  if (!node.wantsResult(1))
    return;
  Value classes = nn.cast(nn.counting(getShape(logits)[1]), getElementType(labels));
  Value isClass = nn.binary(nn::BinaryKind::Equal, nn.alignToAxis(labels, 0, 2), classes);
  node.setResult(1, nn.sub(nn.softmax(logits, 1, /*log=*/false), nn.cast(isClass, getElementType(logits))));
}

} // namespace

void registerNormalizations(ImportRegistry &registry) {
  const Signature batch{{"x", Holds::Floats},
                        {"scale", Holds::Floats, 'U'},
                        {"offset", Holds::Floats, 'U'},
                        {"mean", Holds::Floats, 'U'},
                        {"variance", Holds::Floats, 'U'}};
  for (const char *op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
    registry.add(op, 1, batch, importFusedBatchNorm);
  registry.add("LRN", 1, {{"input", Holds::Floats}}, importLrn);
  const Signature logits{{"logits", Holds::Floats}};
  registry.add("Softmax", 1, logits, [](OperandBinder &node) { importSoftmax(node, /*log=*/false); });
  registry.add("LogSoftmax", 1, logits, [](OperandBinder &node) { importSoftmax(node, /*log=*/true); });
  registry.add("SoftmaxCrossEntropyWithLogits", 1, {{"features", Holds::Floats, 'T'}, {"labels", Holds::Floats, 'T'}},
               importCrossEntropy);
  registry.add("SparseSoftmaxCrossEntropyWithLogits", 1, {{"features", Holds::Floats}, {"labels", Holds::Indices}},
               importSparseCrossEntropy);
}

} // namespace nacre::importer::tensorflow_format
