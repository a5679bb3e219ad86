// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels of classes, which a node states as integers or as strings.

#include "compiler/import/onnx/classical/Labels.h"

using namespace mlir;

namespace nacre::importer::onnx_format::classical {

FailureOr<Labels> readLabels(OperandBinder &node, StringRef integersName) {
  SmallVector<int64_t> integers = node.getInts(integersName);
  const size_t strings = node.getStrings("classlabels_strings").size();
  if (node.hasFailed())
    return failure();
  if (!integers.empty() && strings)
    return node.error() << "attributes '" << integersName
                        << "' and 'classlabels_strings' cannot be combined; remove one";
  const auto count = static_cast<int64_t>(integers.size() + strings);
  return Labels{std::move(integers), count};
}

FailureOr<Labels> readClasses(OperandBinder &node, StringRef integersName) {
  FailureOr<Labels> labels = readLabels(node, integersName);
  if (succeeded(labels) && labels->count < 2)
    return node.error() << "attribute '" << integersName << "' must have two labels or more, but has " << labels->count;
  return labels;
}

void setLabels(OperandBinder &node, const Labels &labels, Value classes) {
  // A tensor cannot hold strings, so labels that are strings are no value. If they are an output, the user gets an
  // error there (entry/DeclaredOutputs.h).
  NnBuilder &nn = node.nn;
  node.setResult(0, labels.integers.empty() ? nn.nothing() : nn.gather(nn.integers(labels.integers), classes, 0));
}

} // namespace nacre::importer::onnx_format::classical
