// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels of classes, which a node has as integers or as strings.

#include "compiler/import/onnx/trees/Labels.h"

using namespace mlir;

namespace nacre::importer::onnx_format::trees {

FailureOr<Labels> readLabels(OperandBinder &node) {
  SmallVector<int64_t> integers = node.getInts("classlabels_int64s");
  const size_t strings = node.getStrings("classlabels_strings").size();
  if (node.hasFailed())
    return failure();
  if (!integers.empty() && strings)
    return node.error() << "attributes 'classlabels_int64s' and 'classlabels_strings' cannot be combined; remove one";
  const auto count = static_cast<int64_t>(integers.size() + strings);
  return Labels{std::move(integers), count};
}

} // namespace nacre::importer::onnx_format::trees
