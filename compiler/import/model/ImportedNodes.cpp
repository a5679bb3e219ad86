// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/model/ImportedNodes.h"

#include "compiler/import/model/NodeNames.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::importer {

static void addShape(Value value, std::vector<ImportedNode::Shape> &shapes) {
  if (value)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      shapes.push_back(type.getShape().vec());
}

void ImportedNodes::add(const GraphView &graph, const GraphNode &node, ArrayRef<Value> operands,
                        ArrayRef<Value> results) {
  ImportedNode row{toPrintable(nameOf(node.loc)), toPrintable(qualify(node)), {}, {}, {}};
  if (!names.insert(row.name).second)
    return;
  for (auto [name, value] : llvm::zip(node.operands, operands)) {
    const bool isWeight = graph.hasConstant(name) || (value && isa_and_nonnull<nn::ConstantOp>(value.getDefiningOp()));
    addShape(value, isWeight ? row.weights : row.inputs);
  }
  for (auto [name, value] : llvm::zip(node.results, results))
    if (!name.empty())
      addShape(value, row.outputs);
  nodes.push_back(std::move(row));
}

} // namespace nacre::importer
