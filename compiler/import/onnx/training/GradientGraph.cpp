// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GradientGraph.h.

#include "compiler/import/onnx/training/GradientGraph.h"

namespace nacre::importer::onnx_format {

GraphNode GradientGraph::getNode(size_t index) const {
  GraphNode node = whole->getNode(nodes[index]);
  // A tensor that is given must not also be computed.
  for (llvm::StringRef &result : node.results)
    if (given.contains(result))
      result = {};
  return node;
}

} // namespace nacre::importer::onnx_format
