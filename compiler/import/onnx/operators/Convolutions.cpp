// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions. In ONNX, channels are the first axis after the batch, and in `nn` they are the last. So each
// convolution is between two transposes, which the graph phase cancels against neighbouring ones.

#include "compiler/import/onnx/operators/Convolutions.h"

#include "compiler/import/compositions/OpenWindows.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/operands/ConvolutionOperands.h"
#include "compiler/import/onnx/operators/Handlers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Transposes [IC, OC / groups, spatial...] to [spatial..., IC / groups, OC].
Value toTransposedFilter(NnBuilder &nn, Value weights, int64_t groups) {
  const int64_t rank = getRank(weights), spatial = rank - 2;
  SmallVector<int64_t> shape(getShape(weights)), permutation = axisRange(3, rank + 1);
  const int64_t inputs = shape[0] / groups, outputs = shape[1] * groups;
  shape[0] = inputs;
  shape.insert(shape.begin(), groups);
  permutation.append({1, 0, 2});
  Value byGroups = nn.transpose(nn.reshape(weights, shape), permutation);
  SmallVector<int64_t> filter(getShape(weights).drop_front(2).take_front(spatial));
  filter.append({inputs, outputs});
  return nn.reshape(byGroups, filter);
}

/// True if the shapes of the operands of a transposed convolution match. Otherwise, reports an error.
bool checkTransposed(OperandBinder &node, int64_t groups) {
  Value x = node.getOperand(0), weights = node.getOperand(1);
  if (!node.checkRank(0, 3, 5) || !node.checkRank(1, getRank(x), getRank(x)))
    return false;
  int64_t channels = getShape(x)[1];
  if (groups < 1 || channels % groups) {
    node.error() << "attribute 'group' must divide the " << describeCount(channels, "channel") << " of "
                 << node.nameOf(0) << ", but is " << groups;
    return false;
  }
  if (getShape(weights)[0] != channels) {
    node.error() << node.nameOf(1) << " must have " << describeCount(channels, "channel") << " (those of "
                 << node.nameOf(0) << ") along axis 0, but is " << describe(weights) << " for " << describe(x);
    return false;
  }
  int64_t outputs;
  if (llvm::MulOverflow(getShape(weights)[1], groups, outputs)) {
    node.error() << "attribute 'group' must result in channels that fit into memory, but is " << groups;
    return false;
  }
  if (llvm::is_contained(getShape(x).drop_front(2), 0)) {
    node.error() << node.nameOf(0) << " must have elements along its spatial axes, but is " << describe(x);
    return false;
  }
  Ints extents = getShape(weights).drop_front(2);
  SmallVector<int64_t> kernel = node.getInts("kernel_shape", extents);
  if (Ints(kernel) != extents) {
    node.error() << "attribute 'kernel_shape' must be " << describeShape(extents) << ", as " << node.nameOf(1)
                 << " has it, but is " << describeShape(kernel);
    return false;
  }
  return node.checkShape(2, outputs, "one element for each filter");
}

void importConvTranspose(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  int64_t groups = node.getInt("group", 1);
  if (!checkTransposed(node, groups))
    return;
  FailureOr<Window> window = readTransposedWindow(node, getShape(weights).drop_front(2), getShape(weights)[1] * groups);
  if (failed(window))
    return;
  Value input = nn.toChannelsLast(x), filter = toTransposedFilter(nn, weights, groups);
  Value y = nn.convTranspose(input, filter, window->strides, window->pads, window->dilations, groups);
  node.setResult(nn.toChannelsFirst(bias ? nn.add(y, bias) : y));
}

} // namespace

void importConv(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  int64_t groups = node.getInt("group", 1);
  if (!checkConvolution(node, {/*weights=*/1, /*bias=*/2}, groups))
    return;
  FailureOr<Window> window = readWindow(node, getShape(weights).drop_front(2), /*outputChannels=*/getShape(weights)[0]);
  if (failed(window))
    return;
  Value input = nn.toChannelsLast(x), filter = toFilter(nn, weights);
  // Pads for the largest size would be other ones for a smaller size.
  const StringRef pads = node.getString("auto_pad", "NOTSET");
  if (hasOpenSpace(nn, input) && pads.starts_with("SAME") &&
      llvm::any_of(window->strides, [](int64_t stride) { return stride != 1; })) {
    nn.refuseOpen(x);
    return node.fail();
  }
  Value y = convolve(nn, input, filter, *window, groups);
  node.setResult(nn.toChannelsFirst(bias ? nn.add(y, bias) : y));
}

void registerConvolutions(ImportRegistry &registry) {
  registry.add("Conv", 1, {{"X", Holds::Floats, 'T'}, {"W", Holds::Floats, 'T'}, {"B?", Holds::Floats, 'T'}},
               importConv);
  registry.add("ConvTranspose", 1, {{"X", Holds::Floats, 'T'}, {"W", Holds::Floats, 'T'}, {"B?", Holds::Floats, 'T'}},
               importConvTranspose);
}

} // namespace nacre::importer::onnx_format
