// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the operands of convolutions of any element type.

#include "compiler/import/onnx/operands/ConvolutionOperands.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

bool checkConvolution(OperandBinder &node, const ConvolutionOperands &operands, int64_t groups) {
  const size_t w = operands.weights;
  Value x = node.getOperand(0), weights = node.getOperand(w);
  if (!node.checkRank(0, 3, 5) || !node.checkRank(w, getRank(x), getRank(x)))
    return false;
  const int64_t axis = channelAxis(operands.channels, getRank(x));
  int64_t channels = getShape(x)[axis], outputChannels = getShape(weights)[0], perGroup = getShape(weights)[1];
  if (groups < 1 || channels % groups || outputChannels % groups) {
    node.error() << "attribute 'group' must divide the " << describeCount(channels, "channel") << " of "
                 << node.nameOf(0) << " and the " << outputChannels << " filters of " << node.nameOf(w) << ", but is "
                 << groups;
    return false;
  }
  if (channels / groups != perGroup) {
    node.error() << node.nameOf(w) << " must have " << describeCount(channels / groups, "channel") << " (those of "
                 << node.nameOf(0) << " by group) along axis 1, but is " << describe(weights) << " for " << describe(x)
                 << " in " << describeCount(groups, "group");
    return false;
  }
  Ints extents = getShape(weights).drop_front(2);
  SmallVector<int64_t> kernel = node.getInts("kernel_shape", extents);
  if (Ints(kernel) != extents) {
    node.error() << "attribute 'kernel_shape' must be " << describeShape(extents) << ", as " << node.nameOf(w)
                 << " has it, but is " << describeShape(kernel);
    return false;
  }
  return !operands.bias || node.checkShape(*operands.bias, outputChannels, "one element for each filter");
}

Value toFilter(NnBuilder &nn, Value weights) {
  SmallVector<int64_t> permutation = axisRange(2, getRank(weights));
  permutation.append({1, 0});
  return nn.transpose(weights, permutation);
}

} // namespace nacre::importer::onnx_format
