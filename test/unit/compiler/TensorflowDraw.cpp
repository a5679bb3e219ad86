// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. constants and placeholders, 2. operands of other kinds, 3. the graph. TensorflowAttributes.cpp draws
//       attributes, TensorflowShapes.cpp chooses shapes.

#include "test/unit/compiler/TensorflowDraw.h"
#include "test/unit/compiler/TensorflowShapes.h"

#include "compiler/import/tensorflow/graph/Results.h"

#include "llvm/ADT/STLExtras.h"

using namespace nacre;
using namespace nacre::importer;
using llvm::StringRef;
using tensorflow::DataType;
using tensorflow::GraphDef;
using tensorflow::NodeDef;

using Dims = std::vector<int64_t>;

namespace {

//===----------------------------------------------------------------------===//
// 1. Constants and placeholders
//===----------------------------------------------------------------------===//

DataType toDataType(int32_t type) {
  using namespace tensorflow;
  static constexpr DataType types[] = {DT_INVALID, DT_FLOAT,  DT_UINT8,  DT_INT8,   DT_UINT16,  DT_INT16,
                                       DT_INT32,   DT_INT64,  DT_STRING, DT_BOOL,   DT_HALF,    DT_DOUBLE,
                                       DT_UINT32,  DT_UINT64, DT_STRING, DT_STRING, DT_BFLOAT16};
  return type < int32_t(std::size(types)) ? types[type] : DT_STRING;
}

tensorflow::AttrValue &addAttribute(NodeDef &node, const char *name) {
  auto &attribute = *node.add_attr();
  attribute.set_key(name);
  return *attribute.mutable_value();
}

NodeDef &addNode(GraphDef &graph, const std::string &name, const char *op, std::initializer_list<std::string> inputs) {
  NodeDef &node = *graph.add_node();
  node.set_name(name);
  node.set_op(op);
  for (const std::string &input : inputs)
    node.add_input(input);
  return node;
}

void addPlaceholder(GraphDef &graph, const std::string &name, DataType type, const Dims &shape) {
  NodeDef &node = addNode(graph, name, "Placeholder", {});
  addAttribute(node, "dtype").set_type(type);
  auto &dims = *addAttribute(node, "shape").mutable_shape();
  for (int64_t dim : shape)
    dims.add_dim()->set_size(dim);
}

tensorflow::TensorProto &addTensor(GraphDef &graph, const std::string &name, DataType type, const Dims &shape) {
  NodeDef &node = addNode(graph, name, "Const", {});
  addAttribute(node, "dtype").set_type(type);
  tensorflow::TensorProto &tensor = *addAttribute(node, "value").mutable_tensor();
  tensor.set_dtype(type);
  tensor.mutable_tensor_shape();
  for (int64_t dim : shape)
    tensor.mutable_tensor_shape()->add_dim()->set_size(dim);
  return tensor;
}

void addIntegers(GraphDef &graph, const std::string &name, std::initializer_list<int32_t> values, const Dims &shape) {
  tensorflow::TensorProto &tensor = addTensor(graph, name, tensorflow::DT_INT32, shape);
  for (int32_t value : values)
    tensor.add_int_val(value);
}

void addConstant(Draw &draw, GraphDef &graph, const std::string &name, const DrawnOperand &operand) {
  const int32_t type = operand.values.empty() ? operand.type : int32_t(onnx::TensorProto::INT32);
  const Dims shape = operand.values.empty() ? operand.shape : Dims{int64_t(operand.values.size())};
  tensorflow::TensorProto &tensor = addTensor(graph, name, toDataType(type), shape);
  for (int64_t value : operand.values)
    tensor.add_int_val(int32_t(value));
  if (!operand.values.empty())
    return;
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  for (int64_t index = 0; index < count; ++index) {
    const int64_t integer = drawInteger(draw, type);
    switch (tensor.dtype()) {
    case tensorflow::DT_FLOAT:
      tensor.add_float_val(operand.isZero ? 0 : draw.real());
      break;
    case tensorflow::DT_DOUBLE:
      tensor.add_double_val(draw.real());
      break;
    case tensorflow::DT_INT64:
      tensor.add_int64_val(integer);
      break;
    case tensorflow::DT_BOOL:
      tensor.add_bool_val(integer != 0);
      break;
    case tensorflow::DT_HALF:
    case tensorflow::DT_BFLOAT16:
      tensor.add_half_val(draw.of<int32_t>({0, 0x3c00, 0x3f80}));
      break;
    default:
      tensor.add_int_val(int32_t(integer));
    }
  }
}

//===----------------------------------------------------------------------===//
// 2. Operands of other kinds
//===----------------------------------------------------------------------===//

/// Rows that a mask chooses in a run.
void addOpen(GraphDef &graph, const std::string &name, DataType type, const Dims &shape) {
  addPlaceholder(graph, name + "/mask", tensorflow::DT_BOOL, {shape.front()});
  addNode(graph, name + "/where", "Where", {name + "/mask"});
  addAttribute(addNode(graph, name + "/places", "Squeeze", {name + "/where"}), "squeeze_dims").mutable_list()->add_i(1);
  addPlaceholder(graph, name + "/rows", type, shape);
  addIntegers(graph, name + "/axis", {0}, {});
  addNode(graph, name, "GatherV2", {name + "/rows", name + "/places", name + "/axis"});
}

/// Three rows, of which the second is written.
void addArray(GraphDef &graph, const std::string &name, DataType type) {
  addIntegers(graph, name + "/shape", {2, 3}, {2});
  addIntegers(graph, name + "/count", {3}, {});
  addIntegers(graph, name + "/place", {1}, {});
  addPlaceholder(graph, name + "/row", type, {2, 3});
  addAttribute(addNode(graph, name + "/list", "TensorListReserve", {name + "/shape", name + "/count"}), "element_dtype")
      .set_type(type);
  addNode(graph, name, "TensorListSetItem", {name + "/list", name + "/place", name + "/row"});
}

void addOperand(Draw &draw, GraphDef &graph, const std::string &name, const DrawnOperand &operand) {
  switch (operand.kind) {
  case DrawnOperand::LeftOut:
    return;
  case DrawnOperand::Input:
    return addPlaceholder(graph, name, toDataType(operand.type), operand.shape);
  case DrawnOperand::Constant:
    return addConstant(draw, graph, name, operand);
  case DrawnOperand::Open:
    return addOpen(graph, name, toDataType(operand.type), operand.shape);
  case DrawnOperand::Array:
    return addArray(graph, name, toDataType(operand.type));
  }
}

//===----------------------------------------------------------------------===//
// 3. The graph
//===----------------------------------------------------------------------===//

/// Makes outputs of the first result and of some others; a list has a length.
void addOutputs(Draw &draw, GraphDef &graph, const NodeDef &node) {
  StringRef op = node.op();
  const int count = std::min(tensorflow_format::countResults(node), 8);
  for (int result = 0; result < count; ++result) {
    if (result && draw.oneIn(2))
      continue;
    std::string from = result ? "node:" + std::to_string(result) : "node", to = "y" + std::to_string(result);
    static constexpr const char *lists[] = {
        "TensorListReserve",   "EmptyTensorList",    "TensorListFromTensor",
        "TensorListSetItem",   "TensorListPushBack", "TensorListScatter",
        "TensorListScatterV2", "TensorListSplit",    "TensorListScatterIntoExistingList",
        "TensorListResize"};
    if (llvm::is_contained(lists, op) || (op == "TensorListPopBack" && result == 0))
      addNode(graph, to, "TensorListLength", {from});
    else if (op == "TensorArrayV3" && result == 0)
      continue;
    else if (op == "TensorArrayV3")
      addNode(graph, to, "TensorArraySizeV3", {"node", from});
    else if (op == "TensorArrayWriteV3" || op == "TensorArrayScatterV3" || op == "TensorArraySplitV3")
      addNode(graph, to, "TensorArraySizeV3", {node.input(0), from});
    else
      addNode(graph, to, "Identity", {from});
  }
}

/// The attributes that say how many operands there are.
void countOperands(NodeDef &node, llvm::ArrayRef<DrawnOperand> operands) {
  if (node.op() == "IdentityN")
    for (const DrawnOperand &operand : operands)
      (node.attr().empty() ? addAttribute(node, "T") : *node.mutable_attr(0)->mutable_value())
          .mutable_list()
          ->add_type(toDataType(operand.type));
  if (node.op() == "ShapeN")
    addAttribute(node, "N").set_i(int64_t(operands.size()));
  if (node.op() == "ConcatOffset")
    addAttribute(node, "N").set_i(int64_t(operands.size()) - 1);
}

} // namespace

GraphDef nacre::drawGraph(Draw &draw, StringRef op, llvm::ArrayRef<OperandRule> rules) {
  auto nameOf = [&](size_t index) { return rules[std::min(index, rules.size() - 1)].getName(); };
  std::vector<DrawnOperand> operands = drawOperands(draw, rules, [&](size_t index, const Dims &first) {
    return getTensorflowShape(draw, op, nameOf(index), index, first);
  });
  GraphDef graph;
  NodeDef node;
  node.set_name("node");
  node.set_op(op.str());
  for (size_t index = 0; index < operands.size(); ++index) {
    if (operands[index].kind == DrawnOperand::LeftOut)
      break; // operands have no gaps
    settleTensorflowOperand(draw, op, nameOf(index), operands[index]);
    std::string name = "x" + std::to_string(index);
    addOperand(draw, graph, name, operands[index]);
    node.add_input(name);
  }
  countOperands(node, operands);
  const bool isShapeFirst = llvm::is_contained({"input_sizes", "orig_input_shape"}, nameOf(0));
  const size_t first = isShapeFirst ? 1 : 0;
  addAttributes(draw, node, first < operands.size() ? operands[first].shape.size() : 0);
  *graph.add_node() = node;
  addOutputs(draw, graph, node);
  return graph;
}
