// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/DescribeNodes.h"

#include "codegen/package/NodeNames.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre {

//===----------------------------------------------------------------------===//
// 1. A node
//===----------------------------------------------------------------------===//

/// Returns the location of a value's node; null for an input of the model or of a loop.
static Attribute nodeOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? Attribute(LocationAttr(op->getLoc())) : Attribute();
}

static Attribute nodeOf(Operation *op) { return LocationAttr(op->getLoc()); }

static NodeReport::Shape shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape().vec(); }

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
  else if (op->getNumOperands() > 1) // a filter: its spatial axes come before both axes of channels
    row.window = cast<ShapedType>(op->getOperand(1).getType()).getShape().take_front(row.strides.size()).vec();
}

static NodeReport describeNode(ArrayRef<Operation *> operators) {
  const Attribute node = nodeOf(operators.front());
  NodeReport row;
  llvm::SetVector<Value> inputs, weights, outputs;
  for (Operation *op : operators) {
    describeWindow(op, row);
    for (Value operand : op->getOperands()) {
      if (isa_and_nonnull<nn::ConstantOp>(operand.getDefiningOp()))
        weights.insert(operand);
      else if (nodeOf(operand) != node)
        inputs.insert(operand);
    }
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return nodeOf(user) != node; }))
        outputs.insert(result);
  }
  for (auto [values, shapes] : {std::pair(&inputs, &row.inputs), {&weights, &row.weights}, {&outputs, &row.outputs}})
    for (Value value : *values)
      if (isa<ShapedType>(value.getType()))
        shapes->push_back(shapeOf(value));
  return row;
}

std::vector<NodeReport> describeNodes(ModuleOp imported, const llvm::StringMap<std::string> &operators) {
  llvm::MapVector<Attribute, SmallVector<Operation *>> nodes;
  imported.walk([&](Operation *op) {
    if (isa<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
      nodes[nodeOf(op)].push_back(op);
  });
  std::vector<NodeReport> rows;
  for (const auto &[location, ops] : nodes) {
    const std::vector<std::string> names = package::listNodes(cast<LocationAttr>(location));
    if (names.empty())
      continue;
    NodeReport &row = rows.emplace_back(describeNode(ops));
    row.name = names.front();
    const auto known = operators.find(row.name);
    row.op = known != operators.end() ? known->second : ops.front()->getName().stripDialect().str();
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// 2. Rows
//===----------------------------------------------------------------------===//

/// Returns the names of nodes that launches compute. A gradient or an update also counts for its node.
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
