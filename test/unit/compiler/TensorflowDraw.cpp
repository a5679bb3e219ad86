// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. constants and placeholders, 2. operands of other kinds, 3. the graph; TensorflowAttributes.cpp draws attributes.

#include "test/unit/compiler/TensorflowDraw.h"

#include "compiler/import/tensorflow/graph/Results.h"
#include "compiler/import/tensorflow/graph/TrainedOperands.h"

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

/// The same of operators that only training graphs have.
std::optional<Dims> getTrainingShape(StringRef op, StringRef operand, size_t index) {
  using tensorflow_format::countTrainedOperands;
  if (size_t count = countTrainedOperands(op))
    return index < count || operand == "grad" || operand == "delta" ? Dims{3, 2} : Dims{};
  if (op.starts_with("FusedBatchNormGrad"))
    return index < 2 ? Dims{2, 4, 4, 3} : Dims{3};
  if (op.starts_with("Depthwise") && operand == "filter")
    return op.ends_with("BackpropInput") ? Dims{2, 2, 3, 1} : Dims{2, 2, 3, 3};
  if (op.starts_with("Resize") && op.ends_with("Grad"))
    return index == 0 ? Dims{2, 4, 4, 3} : operand == "size" ? Dims{2} : Dims{2, 2, 2, 3};
  if (op == "MirrorPadGrad")
    return index ? Dims{2, 2} : Dims{9, 9};
  if (op == "StridedSliceGrad")
    return operand == "dy" ? Dims{2, 3} : Dims{2};
  return std::nullopt;
}

/// The shape that a definition asks for, where it leaves little choice.
std::optional<Dims> getAskedShape(Draw &draw, StringRef op, StringRef operand, size_t index, const Dims &x) {
  const auto rank = int64_t(x.size());
  const bool hasVolumes = op.contains("3D");
  if (std::optional<Dims> shape = getTrainingShape(op, operand, index))
    return shape;
  if (op == "FakeQuantWithMinMaxVarsPerChannel")
    return index ? Dims{x.empty() ? 1 : x.back()} : x;
  if (op.contains("Conv"))
    return operand == "filter" ? hasVolumes ? Dims{1, 2, 2, 3, 3} : Dims{2, 2, 3, 3}
           : hasVolumes        ? Dims{1, 2, 4, 4, 3}
                               : Dims{2, 4, 4, 3};
  if (op == "Mfcc")
    return index ? Dims{} : Dims{1, 3, 9};
  if (op == "Dilation2D")
    return index ? Dims{2, 2, 3} : Dims{2, 4, 4, 3};
  if (op.contains("Pool"))
    return hasVolumes ? Dims{1, 2, 4, 4, 3} : Dims{2, 4, 4, 3};
  if (op.starts_with("Resize") || op == "LRN" || op == "ExtractImagePatches" || op.starts_with("FusedBatchNorm") ||
      op.starts_with("Adjust") || op.contains("HSV"))
    return index ? op.starts_with("Resize") ? Dims{2} : op.starts_with("Adjust") ? Dims{} : Dims{3} : Dims{2, 4, 4, 3};
  if (op == "DepthToSpace" || op == "SpaceToDepth" || op == "BatchToSpace" || op == "SpaceToBatch")
    return index ? Dims{2, 2} : Dims{4, 2, 2, 4};
  if (op == "BatchToSpaceND" || op == "SpaceToBatchND")
    return index == 0 ? Dims{4, 2, 3} : index == 1 ? Dims{1} : Dims{1, 2};
  if (op.starts_with("DrawBoundingBoxes"))
    return std::vector<Dims>{{2, 4, 4, 3}, {2, 3, 4}, {2, 3}}[index];
  if (op == "CropAndResize")
    return std::vector<Dims>{{2, 4, 4, 3}, {3, 4}, {3}, {2}}[index];
  if (op.starts_with("NonMaxSuppression"))
    return std::vector<Dims>{{5, 4}, {5}, {}, {}, {}, {}}[index];
  if (op == "MatMul")
    return Dims{3, 3};
  if (op.contains("BlockCell") || op.starts_with("BlockLSTM")) {
    const bool isGru = op.starts_with("GRU");
    if (operand == "seq_len_max")
      return Dims{};
    if (operand == "x")
      return op.starts_with("BlockLSTM") ? Dims{3, 2, 4} : Dims{2, 4};
    if (operand.ends_with("_prev"))
      return Dims{2, 5};
    if (operand.starts_with("wc"))
      return Dims{5};
    if (operand == "b_c")
      return Dims{5};
    if (operand == "w_c")
      return Dims{9, 5};
    return operand.starts_with("w") ? Dims{9, isGru ? 10 : 20} : Dims{isGru ? 10 : 20};
  }
  if (operand == "paddings" || operand == "crops")
    return Dims{rank, 2};
  if (op.starts_with("ScatterNd") || op.starts_with("TensorScatter")) {
    if (operand == "indices")
      return Dims{3, 1};
    if (operand == "shape")
      return Dims{2};
    return operand == "updates" ? Dims{3, 2} : Dims{4, 2};
  }
  if (op.starts_with("Scatter"))
    return operand == "indices" ? Dims{3} : operand == "updates" ? Dims{3, 2} : Dims{4, 2};
  if (op.contains("Segment"))
    return operand == "num_segments" ? Dims{} : index ? Dims{rank ? x[0] : 1} : x;
  if (op.starts_with("TensorArray") || op.starts_with("TensorList")) {
    if (operand == "element_shape")
      return Dims{2};
    if (operand == "indices" || operand == "lengths" || operand == "leading_dims")
      return Dims{3};
    if (operand.starts_with("value") || operand.starts_with("tensor"))
      return op.ends_with("PushBack") || op.contains("Write") ? Dims{2, 3} : Dims{3, 2, 3};
    return operand == "item" ? Dims{2, 3} : Dims{};
  }
  static constexpr const char *scalars[] = {"axis",
                                            "dim",
                                            "k",
                                            "n",
                                            "depth",
                                            "dimension",
                                            "size",
                                            "num",
                                            "start",
                                            "limit",
                                            "delta",
                                            "concat_dim",
                                            "min",
                                            "max",
                                            "stop",
                                            "nbins",
                                            "num_lower",
                                            "num_upper",
                                            "value",
                                            "on_value",
                                            "off_value",
                                            "split_dim",
                                            "constant_values",
                                            "clip_value_min",
                                            "clip_value_max",
                                            "sample_rate"};
  if (llvm::is_contained(scalars, operand) && !draw.oneIn(6))
    return op == "ReverseV2" || op == "Roll" ? Dims{1}
           : op == "BiasAdd" && index        ? Dims{x.empty() ? 1 : x.back()}
                                             : Dims{};
  if (operand == "begin" || operand == "end" || operand == "strides" || operand == "multiples" || operand == "perm")
    return Dims{rank};
  if (operand == "size" || operand == "size_splits" || operand == "shape" || operand == "dims")
    return Dims{draw.of<int64_t>({rank, 2, 1})};
  return std::nullopt;
}

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

/// What must be constant, and is seldom right where it is drawn.
void settleOperand(Draw &draw, StringRef op, StringRef name, DrawnOperand &operand) {
  if (name == "soft_nms_sigma" && !draw.oneIn(4))
    operand = {DrawnOperand::Constant, onnx::TensorProto::FLOAT, {}, {}, /*isZero=*/true};
  if (name == "min" || name == "max")
    operand.kind = draw.oneIn(4) ? operand.kind : DrawnOperand::Constant;
  if (name == "size_splits" && !draw.oneIn(4)) {
    operand.kind = DrawnOperand::Constant;
    operand.values = draw.oneIn(2) ? Dims{-1} : Dims{1, -1};
  }
  const bool hasVolumes = op.contains("3D");
  std::optional<Dims> values;
  if (name == "input_sizes" || name == "orig_input_shape")
    values = hasVolumes ? Dims{1, 2, 4, 4, 3} : Dims{2, 4, 4, 3};
  if (name == "filter_sizes")
    values = op.starts_with("Depthwise") ? Dims{2, 2, 3, 1} : hasVolumes ? Dims{1, 2, 2, 3, 3} : Dims{2, 2, 3, 3};
  if (op == "ResizeNearestNeighborGrad" && name == "size")
    values = Dims{2, 2};
  if (op == "StridedSliceGrad" && name != "dy")
    values = name == "shape" ? Dims{4, 3} : name == "begin" ? Dims{1, 0} : name == "end" ? Dims{3, 3} : Dims{1, 1};
  if (!values || draw.oneIn(4))
    return;
  operand.kind = DrawnOperand::Constant;
  operand.values = *values;
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
    return getAskedShape(draw, op, nameOf(index), index, first);
  });
  GraphDef graph;
  NodeDef node;
  node.set_name("node");
  node.set_op(op.str());
  for (size_t index = 0; index < operands.size(); ++index) {
    if (operands[index].kind == DrawnOperand::LeftOut)
      break; // operands have no gaps
    settleOperand(draw, op, nameOf(index), operands[index]);
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
