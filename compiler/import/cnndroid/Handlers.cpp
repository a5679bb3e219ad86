// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of CNNdroid's layers, by type.
//
// The results are the results of CNNdroid's sequential mode. Its parallel mode clamps the results of poolings at zero,
// which differs from its documentation and from Caffe (docs/limitations.md). The number of windows is rounded up, also
// for convolutions.

#include "compiler/import/cnndroid/Handlers.h"

#include "compiler/import/builder/Geometry.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::cnndroid_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Windows
//===----------------------------------------------------------------------===//

/// True if the required key exists. Otherwise, reports an error.
bool requireKey(OperandBinder &node, StringRef key) {
  if (node.has(key))
    return true;
  node.error() << "must have the key '" << key << "'";
  return false;
}

int64_t readSize(OperandBinder &node, StringRef key, int64_t missing, int64_t low) {
  int64_t size = node.getInt(key, missing);
  if (size >= low && size <= INT32_MAX)
    return size;
  node.error() << "'" << key << "' must lie between " << low << " and " << INT32_MAX << ", but is " << size;
  return std::max(missing, low);
}

/// Reads a window with equal pads and strides. The overhang is the number of cells after the padded input that the last
/// step covers. Reports an error if the window does not fit.
FailureOr<Window> readWindow(OperandBinder &node, Ints kernel) {
  const int64_t pad = readSize(node, "pad", 0, 0), stride = readSize(node, "stride", 1, 1);
  if (!node.checkRank(0, 4, 4) || node.hasFailed())
    return failure();
  Window window{SmallVector<int64_t>(kernel), {stride, stride}, {1, 1}, {pad, pad, pad, pad}, {0, 0}};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t size = getShape(node.getOperand(0))[axis + 2] + 2 * pad, slack = size - kernel[axis];
    if (slack < 0)
      return node.error() << "the window must fit into the padded input, but covers "
                          << describeCount(kernel[axis], "element") << " of axis " << axis + 2 << " of "
                          << describe(node.getOperand(0)) << ", which has " << size << " with its pads";
    window.overhang[axis] = static_cast<int64_t>(llvm::divideCeil(slack, stride)) * stride - slack;
  }
  return window;
}

/// Checks that the padded input and the result fit into memory.
bool checkFits(OperandBinder &node, const Window &window, int64_t channels) {
  SmallVector<int64_t> padded(getShape(node.getOperand(0))), result(padded);
  result[1] = channels;
  for (size_t axis = 0; axis < 2; ++axis) {
    padded[axis + 2] += window.pads[axis] + window.pads[axis + 2] + window.overhang[axis];
    result[axis + 2] = (padded[axis + 2] - window.kernel[axis]) / window.strides[axis] + 1;
  }
  return node.checkFits(padded, "the padded input") && node.checkFits(result);
}

/// Imports a convolution. The size of its result is rounded up, with zeros after the input. In Caffe, the size is
/// rounded down.
void importConvolution(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  const int64_t groups = readSize(node, "group", 1, 1), outputs = getShape(weights)[0], inputs = getShape(weights)[1];
  FailureOr<Window> window = readWindow(node, getShape(weights).drop_front(2));
  if (failed(window))
    return;
  if (outputs % groups != 0 || inputs > INT32_MAX || getShape(x)[1] != inputs * groups) {
    node.error() << "'group' must divide the " << describeCount(outputs, "output") << " of the weights, and "
                 << describe(x) << " must have 'group' times " << inputs << " channels, but 'group' is " << groups;
    return;
  }
  if (!checkFits(node, *window, outputs))
    return;
  for (size_t axis = 0; axis < 2; ++axis)
    window->pads[axis + 2] += window->overhang[axis];
  Value y = nn.conv(nn.toChannelsLast(x), nn.transpose(weights, {2, 3, 1, 0}), window->strides, window->pads,
                    window->dilations, groups);
  node.setResult(nn.toChannelsFirst(nn.add(y, bias)));
}

/// Reports an error if the last window begins after the padded input, because CNNdroid fails in this case.
bool checkBegins(OperandBinder &node, const Window &window) {
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t size = getShape(node.getOperand(0))[axis + 2] + 2 * window.pads[axis];
    const int64_t begin = size + window.overhang[axis] - window.kernel[axis];
    if (begin < size)
      continue;
    node.error() << "every window must begin inside the padded input, but the last one begins at " << begin << " of "
                 << size << " along axis " << axis + 2 << "; choose a smaller 'stride'";
    return false;
  }
  return true;
}

/// Imports a pooling. The number of windows is rounded up. The padding is zeros, also for a maximum, and counts in the
/// divisor of an average. Cells after the padding do not count.
void importPooling(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!requireKey(node, "pool") || !requireKey(node, "kernel_size"))
    return;
  StringRef pool = node.getString("pool", "");
  const int64_t size = readSize(node, "kernel_size", 1, 1);
  if (pool != "max" && pool != "ave") {
    node.error() << "'pool' must be \"max\" or \"ave\", but is \"" << pool << "\"";
    return;
  }
  FailureOr<Window> window = readWindow(node, {size, size});
  if (failed(window) || !checkBegins(node, *window) || !checkFits(node, *window, getShape(node.getOperand(0))[1]))
    return;
  Value x = nn.toChannelsLast(node.getOperand(0));
  if (int64_t pad = window->pads.front()) {
    x = nn.pad(nn::PadMode::Constant, x, {0, pad, pad, 0}, {0, pad, pad, 0}, 0);
    window->pads = {0, 0, 0, 0};
  }
  node.setResult(nn.toChannelsFirst(nn.pool(pool == "ave" ? nn::PoolKind::Average : nn::PoolKind::Max, x,
                                            window->kernel, window->strides, window->pads, window->dilations,
                                            window->overhang, /*countPadding=*/true)));
}

//===----------------------------------------------------------------------===//
// 2. Products, normalization and activations
//===----------------------------------------------------------------------===//

/// Imports a fully connected layer. The elements of an image, channels first, are one row.
void importFullyConnected(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1);
  const int64_t outputs = getShape(weights)[0], inputs = getShape(weights)[1];
  if (!node.checkRank(0, 2, 4))
    return;
  const int64_t images = getShape(x)[0], elements = *nn::countElements(getShape(x).drop_front());
  if (elements != inputs) {
    node.error() << "must have " << describeCount(inputs, "input") << " for each image, as its weights have, but reads "
                 << describe(x) << ", which has " << elements;
    return;
  }
  if (node.checkFits({images, outputs}))
    node.setResult(
        nn.add(nn.matmul(nn.reshape(x, {images, inputs}), nn.transpose(weights, {1, 0})), node.getOperand(2)));
}

void importLrn(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  for (StringRef key : {"norm_region", "local_size", "alpha", "beta"})
    if (!requireKey(node, key))
      return;
  StringRef region = node.getString("norm_region", "");
  const int64_t size = readSize(node, "local_size", 1, 1);
  const double alpha = node.getFloat("alpha", 0), beta = node.getFloat("beta", 0);
  if (region != "across_channels") {
    node.error() << "'norm_region' must be \"across_channels\", but is \"" << region
                 << "\", for which CNNdroid computes zeros";
    return;
  }
  if (size % 2 == 0) {
    node.error() << "'local_size' must be odd, but is " << size
                 << ": CNNdroid divides sums of an even size by two different numbers";
    return;
  }
  if (node.checkRank(0, 4, 4))
    node.setResult(nn.toChannelsFirst(nn.lrn(nn.toChannelsLast(node.getOperand(0)), size, alpha, beta, 1)));
}

/// Computes a softmax over the channels, but only for the first position of an image, as CNNdroid does.
void importSoftmax(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 2, 4))
    return;
  const SmallVector<int64_t> shape(getShape(x));
  for (size_t axis = 2; axis < shape.size(); ++axis)
    x = nn.slice(x, static_cast<int64_t>(axis), 0, 1);
  node.setResult(nn.softmax(nn.reshape(x, {shape[0], shape[1]}), 1, /*log=*/false));
}

//===----------------------------------------------------------------------===//
// 3. Accuracy
//===----------------------------------------------------------------------===//

/// Returns the fraction of labels that are among the `topk` most probable classes of their image.
void importAccuracy(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!requireKey(node, "topk") || !node.checkRank(0, 2, 2))
    return;
  Value x = node.getOperand(0);
  const int64_t images = getShape(x)[0], classes = getShape(x)[1], labels = getShape(node.getOperand(1))[0];
  const int64_t most = node.getInt("topk", 1);
  if (most < 1 || most > classes || labels > images) {
    node.error() << "'topk' must lie between 1 and " << classes << ", the number of classes, and a batch of " << images
                 << " must have at most as many labels, but 'topk' is " << most << ", and there are "
                 << describeCount(labels, "label");
    return;
  }
  Value best = nn.topK(nn.slice(x, 0, 0, labels), 1, most, /*smallest=*/false)[1];
  Value hits = nn.binary(nn::BinaryKind::Equal, best,
                         nn.cast(nn.reshape(node.getOperand(1), {labels, 1}), getElementType(best)));
  Value hit = nn.reduce(nn::ReduceKind::Max, nn.cast(hits, nn.types().getF32Type()), {1}, /*keepDims=*/false);
  node.setResult(nn.reduce(nn::ReduceKind::Mean, hit, {0}, /*keepDims=*/false));
}

} // namespace

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    const Signature one{{"input", Holds::Floats}};
    const Signature weighted{{"input", Holds::Floats}, {"weights", Holds::Floats}, {"bias", Holds::Floats}};
    result.add("Accuracy", 1, {{"input", Holds::Floats}, {"labels", Holds::Indices}}, importAccuracy);
    result.add("Convolution", 1, weighted, importConvolution);
    result.add("FullyConnected", 1, weighted, importFullyConnected);
    result.add("LRN", 1, one, importLrn);
    result.setLimit("LRN", "an even `local_size`");
    result.add("Pooling", 1, one, importPooling);
    result.add("ReLU", 1, one,
               [](OperandBinder &node) { node.setResult(node.nn.unary(nn::UnaryKind::Relu, node.getOperand(0))); });
    result.add("Softmax", 1, one, importSoftmax);
    return result;
  }();
  return registry;
}

StringRef findOperator(StringRef type) {
  for (StringRef known : getOperators().getEntries().keys())
    if (known.equals_insensitive(type))
      return known;
  return type;
}

} // namespace nacre::importer::cnndroid_format
