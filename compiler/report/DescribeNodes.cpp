// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/DescribeNodes.h"

#include "codegen/package/NodeNames.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre {

//===----------------------------------------------------------------------===//
// 1. Nodes
//===----------------------------------------------------------------------===//

/// Reads the attributes that operators with a sliding window share.
static void describeWindow(Operation *op, NodeReport &row) {
  auto strides = op->getAttrOfType<DenseI64ArrayAttr>("strides");
  if (!strides)
    return;
  row.strides = strides.asArrayRef().vec();
  if (auto groups = op->getAttrOfType<IntegerAttr>("groups"))
    row.groups = groups.getInt();
  if (auto kernel = op->getAttrOfType<DenseI64ArrayAttr>("kernel"))
    row.window = kernel.asArrayRef().vec();
  else if (op->getNumOperands() > 1) // A filter: its spatial axes come before both axes of channels.
    row.window = cast<ShapedType>(op->getOperand(1).getType()).getShape().take_front(row.strides.size()).vec();
}

std::vector<NodeReport> describeNodes(ArrayRef<importer::ImportedNode> nodes, ModuleOp module) {
  std::vector<NodeReport> rows;
  llvm::StringMap<size_t> places;
  for (const importer::ImportedNode &node : nodes) {
    places[node.name] = rows.size();
    rows.push_back({node.name, node.op, node.inputs, node.weights, node.outputs, {}, {}, 1});
  }
  module.walk([&](Operation *op) {
    if (isa<nn::NnDialect>(op->getDialect()))
      for (const std::string &name : package::listNodes(op->getLoc()))
        if (auto place = places.find(name); place != places.end())
          describeWindow(op, rows[place->second]);
  });
  return rows;
}

//===----------------------------------------------------------------------===//
// 2. Rows
//===----------------------------------------------------------------------===//

/// Returns the names of nodes that launches compute. Launches that compute a gradient or an update of a node count,
/// too.
static llvm::StringSet<> computedNodes(const CompileReport &report) {
  llvm::StringSet<> computed;
  for (const LaunchReport &launch : report.launches)
    for (StringRef node : launch.nodeList)
      for (bool isPart = true; isPart;) {
        computed.insert(node);
        isPart = false;
        for (StringRef end : {" dX", " dW", " update", " again"})
          isPart |= node.consume_back(end);
      }
  return computed;
}

static llvm::json::Array jsonOf(ArrayRef<NodeReport::Shape> shapes) {
  llvm::json::Array rows;
  for (const NodeReport::Shape &shape : shapes)
    rows.push_back(llvm::json::Array(shape));
  return rows;
}

llvm::json::Array nodeRows(const CompileReport &report) {
  const llvm::StringSet<> computed = computedNodes(report);
  llvm::json::Array rows;
  for (const NodeReport &node : report.nodes) {
    if (!computed.contains(node.name))
      continue;
    llvm::json::Object row{{"name", node.name},
                           {"operator", node.op},
                           {"inputs", jsonOf(node.inputs)},
                           {"weights", jsonOf(node.weights)},
                           {"outputs", jsonOf(node.outputs)}};
    if (!node.strides.empty()) {
      row["window"] = llvm::json::Array(node.window);
      row["strides"] = llvm::json::Array(node.strides);
      row["groups"] = node.groups;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace nacre
