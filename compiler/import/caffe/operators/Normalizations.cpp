// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations, and related scales and biases.

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

using nn::BinaryKind;
using nn::PoolKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Returns x * (1 + alpha * average of the neighbouring squares)^-beta.
Value normalizeWithinChannel(OperandBinder &node, int64_t size, double alpha, double beta) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  const int64_t pad = (size - 1) / 2;
  SmallVector<int64_t> padded(getShape(x));
  padded[2] += size - 1;
  padded[3] += size - 1;
  if (!node.checkFits(padded, "the padded input"))
    return {};
  Value squares = nn.toChannelsLast(nn.mul(x, x));
  Value averages = nn.toChannelsFirst(nn.pool(PoolKind::Average, squares, {size, size}, {1, 1}, {pad, pad, pad, pad},
                                              {1, 1}, {0, 0}, /*countPadding=*/true));
  return nn.mul(x, nn.binary(BinaryKind::Pow, nn.add(nn.mul(averages, alpha), 1.0), -beta));
}

void importLrn(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t size = node.getInt("local_size", 5);
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 0.75), k = node.getFloat("k", 1);
  bool isWithin = node.getString("norm_region", "ACROSS_CHANNELS") == "WITHIN_CHANNEL";
  if (!node.checkRank(0, 4, 4))
    return;
  if (size < 1 || size % 2 == 0 || size > INT32_MAX) {
    node.error() << "parameter 'local_size' must be odd, but is " << size;
    return;
  }
  if (isWithin)
    node.setResult(normalizeWithinChannel(node, size, alpha, beta));
  else
    node.setResult(nn.toChannelsFirst(nn.lrn(nn.toChannelsLast(x), size, alpha, beta, k)));
}

/// Normalizes by the mean and the deviation. Epsilon is added to the deviation, not to the variance.
void importMvn(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool isAcross = node.getFlag("across_channels", false), isScaled = node.getFlag("normalize_variance", true);
  double epsilon = node.getFloat("eps", 1e-9);
  if (!node.checkRank(0, 3))
    return;
  SmallVector<int64_t> axes = axisRange(isAcross ? 1 : 2, getRank(x));
  Value centered = nn.sub(x, nn.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true));
  if (isScaled) {
    Value variance = nn.reduce(ReduceKind::Mean, nn.mul(centered, centered), axes, /*keepDims=*/true);
    centered = nn.div(centered, nn.add(nn.unary(UnaryKind::Sqrt, variance), epsilon));
  }
  node.setResult(centered);
}

/// Divides by the norm of the whole image, or by the norm over the channels at each position. Then multiplies by a
/// scale, which is a weight.
void importNormalize(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  bool isAcross = node.getFlag("across_spatial", true), isShared = node.getFlag("channel_shared", true);
  double epsilon = node.getFloat("eps", 1e-10);
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 2))
    return;
  const int64_t rank = getRank(x), channels = getShape(x)[1];
  Value scale = blobs.get(0, isShared ? SmallVector<int64_t>() : SmallVector<int64_t>{channels}, {"scale_filler", 1});
  Value sum = nn.reduce(ReduceKind::Sum, nn.mul(x, x), axisRange(1, isAcross ? rank : 2), /*keepDims=*/true);
  Value length = nn.unary(UnaryKind::Sqrt, nn.add(sum, epsilon));
  if (scale)
    node.setResult(nn.mul(nn.div(x, length), isShared ? scale : nn.alignToAxis(scale, 1, rank)));
}

/// Normalizes by stored statistics. The file has sums of means and of variances, and their total weight.
void importBatchNorm(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  node.ignore({"moving_average_fraction"});
  bool isGlobal = node.getFlag("use_global_stats", true);
  double epsilon = node.getFloat("eps", 1e-5);
  Value x = node.getOperand(0), mean, variance;
  if (!node.checkRank(0, 2))
    return;
  const int64_t rank = getRank(x), channels = getShape(x)[1];
  if (isGlobal) {
    Value means = blobs.get(0, {channels}, {"", 0});
    Value variances = means ? blobs.get(1, {channels}, {"", 1}) : Value();
    Value weight = variances ? blobs.get(2, {1}, {"", 1}) : Value();
    if (!weight)
      return;
    // If the total weight is 0, mean and variance are 0.
    Value isNone = nn.binary(BinaryKind::Equal, weight, 0.0);
    Value factor =
        nn.select(isNone, weight, nn.unary(UnaryKind::Reciprocal, nn.select(isNone, nn.add(weight, 1.0), weight)));
    mean = nn.alignToAxis(nn.mul(means, factor), 1, rank);
    variance = nn.alignToAxis(nn.mul(variances, factor), 1, rank);
  } else {
    SmallVector<int64_t> axes = axisRange(2, rank);
    axes.insert(axes.begin(), 0);
    mean = nn.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true);
    Value centered = nn.sub(x, mean);
    variance = nn.reduce(ReduceKind::Mean, nn.mul(centered, centered), axes, /*keepDims=*/true);
  }
  node.setResult(nn.div(nn.sub(x, mean), nn.unary(UnaryKind::Sqrt, nn.add(variance, epsilon))));
}

/// Shape of the first bottom from `axis` on, and that shape with axes of size 1 for broadcasting.
struct Along {
  SmallVector<int64_t> shape, aligned;
};

FailureOr<Along> readAlong(OperandBinder &node) {
  Ints shape = getShape(node.getOperand(0));
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 1), static_cast<int64_t>(shape.size()));
  int64_t count = node.getInt("num_axes", 1);
  if (failed(axis))
    return failure();
  int64_t rest = static_cast<int64_t>(shape.size()) - *axis;
  if (count == -1)
    count = rest;
  if (count < 0 || count > rest)
    return node.error() << "parameter 'num_axes' must be from 0 to " << rest << ", or -1 for all, but is " << count;
  Along along{SmallVector<int64_t>(shape.slice(*axis, count)), SmallVector<int64_t>(shape.size(), 1)};
  llvm::copy(along.shape, along.aligned.begin() + *axis);
  return along;
}

/// Returns the second bottom or, without one, a blob, in a shape that broadcasts. Null after an error. A missing blob
/// is filled with `missing`.
Value readFactor(OperandBinder &node, Blobs &blobs, double missing) {
  if (blobs.getNumBottoms() < 2) {
    FailureOr<Along> along = readAlong(node);
    Value blob = succeeded(along) ? blobs.get(0, along->shape, {"filler", missing}) : Value();
    return blob ? node.nn.reshape(blob, along->aligned) : Value();
  }
  node.ignore({"num_axes"});
  Ints shape = getShape(node.getOperand(0)), other = getShape(node.getOperand(1));
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 1), static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return {};
  if (other.size() > shape.size() - *axis || shape.slice(*axis, other.size()) != other) {
    node.error() << node.nameOf(1) << " must have the sizes of the first bottom from axis " << *axis << " on, but is "
                 << describe(node.getOperand(1)) << " for " << describe(node.getOperand(0));
    return {};
  }
  SmallVector<int64_t> aligned(shape.size(), 1);
  llvm::copy(other, aligned.begin() + *axis);
  return node.nn.reshape(node.getOperand(1), aligned);
}

void importScale(OperandBinder &node) {
  Blobs blobs(node, /*mostBottoms=*/2);
  Value factor = readFactor(node, blobs, 1);
  if (!factor)
    return;
  Value y = node.nn.mul(node.getOperand(0), factor);
  if (node.getFlag("bias_term", false)) {
    const size_t index = blobs.getNumBottoms() < 2 ? 1 : 0;
    SmallVector<int64_t> shape(getShape(factor));
    Value bias = blobs.get(index, shape, {"bias_filler", 0});
    y = bias ? node.nn.add(y, bias) : Value();
  }
  if (y)
    node.setResult(y);
}

void importBias(OperandBinder &node) {
  Blobs blobs(node, /*mostBottoms=*/2);
  if (Value bias = readFactor(node, blobs, 0))
    node.setResult(node.nn.add(node.getOperand(0), bias));
}

void importSoftmax(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 1), getRank(x));
  if (succeeded(axis))
    node.setResult(node.nn.softmax(x, *axis, /*log=*/false));
}

} // namespace

void registerNormalizations(ImportRegistry &registry) {
  const Signature one{{"bottom", Holds::Floats}}, blobs{{"bottom", Holds::Floats}, {"blobs...?", Holds::Floats}};
  registry.add("BatchNorm", 1, blobs, importBatchNorm);
  registry.add("Bias", 1, blobs, importBias);
  registry.add("LRN", 1, one, importLrn);
  registry.add("MVN", 1, one, importMvn);
  registry.add("Normalize", 1, blobs, importNormalize);
  registry.add("Scale", 1, blobs, importScale);
  registry.add("Softmax", 1, one, importSoftmax);
}

} // namespace nacre::importer::caffe_format
