// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of one layer for its handler, from the file or random.

#include "compiler/import/caffe/Blobs.h"

#include "compiler/import/messages/TypeNames.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::caffe_format {

bool hasBlobs(StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases("BatchNorm", "Bias", "Convolution", "DataAugmentation", "Deconvolution", "Embed", "InnerProduct",
             "Normalize", "PReLU", "Scale", true)
      .Default(false);
}

Blobs::Blobs(OperandBinder &node, size_t mostBottoms)
    : node(node), bottoms(static_cast<size_t>(node.getInt(bottomCount, 1))) {
  node.ignore({"filler", "weight_filler", "bias_filler", "scale_filler"});
  if (auto told = dyn_cast_or_null<DenseI64ArrayAttr>(node.getTold(randomKey)))
    key = {static_cast<uint32_t>(told[0]), static_cast<uint32_t>(told[1])};
  if (bottoms < 1 || bottoms > mostBottoms)
    node.error() << "must have " << (mostBottoms == 1 ? "one bottom" : "one or two bottoms") << ", but has " << bottoms;
}

Value Blobs::get(size_t index, Ints shape, const Filler &filler) {
  if (node.hasFailed())
    return {};
  if (key) {
    if (!node.checkFits(shape, "a weight blob"))
      return {};
    auto type = RankedTensorType::get(shape, node.nn.types().getF32Type());
    auto said = dyn_cast_or_null<DictionaryAttr>(node.getTold(filler.parameter));
    return fill(node.nn, type, said, filler, {(*key)[0], (*key)[1] + static_cast<uint32_t>(index)});
  }
  size_t operand = bottoms + index;
  if (operand >= node.getNumOperands()) {
    node.error() << "must have " << describeCount(index + 1, "blob") << " of weights, but has "
                 << node.getNumOperands() - bottoms
                 << "; pass the .caffemodel file with --weights, or only measure speed with --random-weights=<seed>";
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
