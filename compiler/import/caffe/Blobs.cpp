// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of one layer as its handler asks for them.

#include "compiler/import/caffe/Blobs.h"

#include "dialects/nn/ShapeRules.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::caffe_format {

bool hasBlobs(StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases("BatchNorm", "Bias", "Convolution", "Deconvolution", "InnerProduct", "PReLU", "Scale", true)
      .Default(false);
}

Blobs::Blobs(OperandBinder &node) : node(node), bottoms(static_cast<size_t>(node.getInt(bottomCount, 1))) {}

Value Blobs::get(size_t index, Ints shape) {
  size_t operand = bottoms + index;
  if (operand >= node.getNumOperands()) {
    node.error() << "must have " << index + 1 << " blobs of weights, but has " << node.getNumOperands() - bottoms
                 << "; put the file that has them (.caffemodel) beside the network, with its name";
    return {};
  }
  Value blob = node.getOperand(operand);
  if (nn::countElements(shape) != getType(blob).getNumElements()) {
    node.error() << "blob " << index << " must have the elements of " << describeShape(shape) << ", but is "
                 << describe(blob);
    return {};
  }
  return node.nn.reshape(blob, shape);
}

} // namespace nacre::importer::caffe_format
