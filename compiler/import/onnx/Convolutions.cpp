// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions. ONNX keeps channels first; `nn` keeps them last, so each stands between two transposes, which the graph
// phase cancels against those of its neighbours.

#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/WindowAttributes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// [OC, IC / groups, spatial...] to [spatial..., IC / groups, OC]
Value toFilter(NnBuilder &nn, Value weights) {
  SmallVector<int64_t> permutation = axisRange(2, getRank(weights));
  permutation.append({1, 0});
  return nn.transpose(weights, permutation);
}

/// Checks what the shapes of a convolution's operands must have in common; reports an error if they do not.
bool checkConvolution(OperandBinder &node, Value x, Value weights, Value bias, int64_t outputChannels) {
  int64_t rank = getRank(x);
  if (rank < 3 || rank > 5 || getRank(weights) != rank) {
    node.error() << "operands 0 and 1 must have the same 3 to 5 axes, but are " << getType(x) << " and "
                 << getType(weights);
    return false;
  }
  SmallVector<int64_t> kernel = node.getInts("kernel_shape", getShape(weights).drop_front(2));
  if (Ints(kernel) != getShape(weights).drop_front(2)) {
    node.error() << "attribute 'kernel_shape' must be the shape of the weights, but is [" << Ints(kernel) << "]";
    return false;
  }
  if (bias && getShape(bias) != Ints(outputChannels)) {
    node.error() << "operand 2 ('B') must have one element for each of " << outputChannels
                 << " output channels, but is " << getType(bias);
    return false;
  }
  return true;
}

void importConv(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  int64_t outputChannels = getRank(weights) ? getShape(weights)[0] : 0;
  int64_t groups = node.getInt("group", 1);
  if (!checkConvolution(node, x, weights, bias, outputChannels))
    return;
  Ints kernel = getShape(weights).drop_front(2);
  FailureOr<Window> window = readWindow(node, getShape(x).drop_front(2), kernel);
  if (failed(window))
    return;
  Value input = nn.toChannelsLast(x), filter = toFilter(nn, weights);
  Value y = nn.conv(input, filter, window->strides, window->pads, window->dilations, groups);
  node.setResult(nn.toChannelsFirst(bias ? nn.add(y, bias) : y));
}

} // namespace

void registerConvolutions(ImportRegistry &registry) { registry.add("Conv", 1, {2, 3}, importConv); }

} // namespace nacre::importer::onnx_format
