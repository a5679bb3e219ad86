// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  one to four changes, each of one field of the parsed model:
//       1. numbers and texts: often small, sometimes at the edges of their types,
//       2. tensors and inputs: shape, element type, elements,
//       3. nodes: attributes, operator, operands, a node more.

#include "test/fuzz/MutateModel.h"

#include "test/fuzz/MutateTables.h"
#include "test/fuzz/RandomChoice.h"

#include "onnx.pb.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

namespace {

/// Larger tensors would make every later change of this model slow.
constexpr int64_t maxElements = 4096;

std::vector<std::string> splitWords(const char *text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

class ModelMutator : RandomChoice {
public:
  ModelMutator(onnx::ModelProto &model, uint32_t seed)
      : RandomChoice(seed), model(model), graph(*model.mutable_graph()) {}

  void run() {
    for (unsigned changes = 1 + below(4); changes; --changes)
      change();
  }

private:
  void change() {
    switch (below(10)) {
    case 0:
      return changeInput();
    case 1:
    case 2:
      return changeTensor();
    case 3:
      return addNode();
    case 4:
      return addOutput();
    case 5:
      return changeOperator();
    case 6:
    case 7:
      return changeOperand();
    default:
      return changeAttribute();
    }
  }

  //===--------------------------------------------------------------------===//
  // 1. Numbers and texts
  //===--------------------------------------------------------------------===//

  int64_t number() {
    static constexpr int64_t edges[] = {-1,
                                        -2,
                                        -3,
                                        64,
                                        255,
                                        1000,
                                        65536,
                                        (1 << 24) + 1,
                                        INT32_MAX,
                                        int64_t(1) << 31,
                                        int64_t(1) << 40,
                                        INT64_MAX,
                                        INT64_MIN,
                                        INT32_MIN};
    return below(4) ? static_cast<int64_t>(below(9)) : pick(edges);
  }

  float real() {
    static const float edges[] = {0,        -0.0f,     0.5f,          1,    -1, 2, 1e-45f, 1e38f, -1e38f, 1e-5f,
                                  INFINITY, -INFINITY, std::nanf(""), 0.25f};
    return pick(edges);
  }

  std::string text() {
    static const std::vector<std::string> words =
        splitWords("SAME_UPPER SAME_LOWER VALID NOTSET constant reflect edge wrap nearest linear asymmetric "
                   "align_corners half_pixel "
                   "pytorch_half_pixel floor ceil round_prefer_ceil stretch not_larger not_smaller bidirectional "
                   "reverse forward Relu Tanh "
                   "Sigmoid Softplus CRD DCR LEFT RIGHT tanh none x");
    return pick(words);
  }

  int32_t elementType() {
    static constexpr int32_t common[] = {1, 1, 1, 7, 7, 6, 9};
    return below(3) ? pick(common) : static_cast<int32_t>(below(18));
  }

  /// Changes one number of a repeated field, or how many there are.
  template <typename List, typename Make> void changeList(List &list, Make make) {
    size_t action = below(4);
    if (list.empty() || action == 0)
      list.Add(make());
    else if (action == 1)
      list.RemoveLast();
    else
      list.Set(static_cast<int>(below(list.size())), make());
  }

  //===--------------------------------------------------------------------===//
  // 2. Tensors and inputs
  //===--------------------------------------------------------------------===//

  void changeInput() {
    if (graph.input().empty())
      return;
    auto &tensor =
        *graph.mutable_input(static_cast<int>(below(graph.input_size())))->mutable_type()->mutable_tensor_type();
    auto &dims = *tensor.mutable_shape()->mutable_dim();
    size_t action = below(5);
    if (action == 0)
      tensor.set_elem_type(elementType());
    else if (dims.empty() || action == 1)
      dims.Add()->set_dim_value(number());
    else if (action == 2)
      dims.RemoveLast();
    else
      dims[static_cast<int>(below(dims.size()))].set_dim_value(number());
  }

  void changeTensor() {
    std::vector<onnx::TensorProto *> tensors;
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensors.push_back(&tensor);
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_t())
          tensors.push_back(attribute.mutable_t());
    if (tensors.empty())
      return;
    onnx::TensorProto &tensor = *pick(tensors);
    size_t action = below(4);
    if (action == 0)
      tensor.set_data_type(elementType());
    else if (action == 1)
      changeList(*tensor.mutable_dims(), [&] { return number(); });
    fillTensor(tensor);
  }

  /// Gives the tensor as many elements as its shape asks for, or one too few.
  void fillTensor(onnx::TensorProto &tensor) {
    static constexpr int bytesOfType[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 0, 0, 2};
    size_t type = tensor.data_type();
    int bytes = type < std::size(bytesOfType) ? bytesOfType[type] : 0;
    int64_t count = 1;
    for (int64_t dim : tensor.dims())
      count = dim >= 0 && dim <= maxElements ? std::min(count * dim, maxElements + 1) : maxElements + 1;
    if (bytes == 0 || count > maxElements)
      return;
    tensor.clear_float_data();
    tensor.clear_double_data();
    tensor.clear_int32_data();
    tensor.clear_int64_data();
    tensor.clear_uint64_data();
    std::string raw;
    bool isSplat = below(4) == 0;
    char element[8];
    for (int64_t index = 0; index < count - (below(16) == 0); ++index) {
      if (index == 0 || !isSplat)
        makeElement(type, element);
      raw.append(element, bytes);
    }
    tensor.set_raw_data(raw);
  }

  void makeElement(size_t type, char (&element)[8]) {
    int64_t integer = number();
    std::memcpy(element, &integer, sizeof(integer));
    if (type == onnx::TensorProto::FLOAT) {
      float value = below(2) ? static_cast<float>(integer) : real();
      std::memcpy(element, &value, sizeof(value));
    } else if (type == onnx::TensorProto::DOUBLE) {
      double value = below(2) ? static_cast<double>(integer) : real();
      std::memcpy(element, &value, sizeof(value));
    }
  }

  //===--------------------------------------------------------------------===//
  // 3. Nodes
  //===--------------------------------------------------------------------===//

  /// A value that the graph has already; nodes after `end` are not looked at, so that most graphs stay free of cycles.
  std::string value(int end) {
    std::vector<const std::string *> names;
    for (const onnx::ValueInfoProto &input : graph.input())
      names.push_back(&input.name());
    for (const onnx::TensorProto &initializer : graph.initializer())
      names.push_back(&initializer.name());
    for (int index = 0; index < end; ++index)
      for (const std::string &output : graph.node(index).output())
        names.push_back(&output);
    return names.empty() || below(16) == 0 ? "" : *pick(names);
  }

  std::string operatorName() {
    static const std::vector<std::string> names = splitWords(NACRE_OPERATORS);
    return pick(names);
  }

  int anyNode() { return static_cast<int>(below(graph.node_size())); }

  void addNode() {
    onnx::NodeProto node;
    node.set_op_type(operatorName());
    for (size_t operands = 1 + below(4); operands; --operands)
      node.add_input(value(graph.node_size()));
    node.add_output("fuzz" + std::to_string(graph.node_size()));
    if (below(2))
      addAttribute(node);
    graph.add_output()->set_name(node.output(0));
    *graph.add_node() = std::move(node);
  }

  void addOutput() {
    if (!graph.node().empty())
      graph.add_output()->set_name(value(graph.node_size()));
  }

  void changeOperator() {
    if (graph.node().empty())
      model.add_opset_import()->set_version(static_cast<int64_t>(6 + below(20)));
    else
      graph.mutable_node(anyNode())->set_op_type(operatorName());
  }

  void changeOperand() {
    if (graph.node().empty())
      return;
    int index = anyNode();
    auto &inputs = *graph.mutable_node(index)->mutable_input();
    size_t action = below(4);
    if (inputs.empty() || action == 0)
      *inputs.Add() = value(index);
    else if (action == 1)
      inputs.RemoveLast();
    else
      inputs[static_cast<int>(below(inputs.size()))] = value(index);
  }

  void addAttribute(onnx::NodeProto &node) {
    static const std::vector<std::string> names = splitWords(
        "axis axes keepdims pads strides dilations kernel_shape group auto_pad ceil_mode count_include_pad mode to "
        "alpha beta "
        "size p perm epsilon transA transB starts ends steps split num_outputs noop_with_empty_axes select_last_index "
        "select_layout hidden_size direction layout linear_before_reset clip allowzero upper blocksize fmod k "
        "coordinate_transformation_mode nearest_mode keep_aspect_ratio_policy value_int value_ints");
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(pick(names));
    setAttribute(attribute, below(2) ? onnx::AttributeProto::INT : onnx::AttributeProto::INTS);
  }

  void setAttribute(onnx::AttributeProto &attribute, onnx::AttributeProto::AttributeType type) {
    attribute.set_type(type);
    switch (type) {
    case onnx::AttributeProto::INT:
      return attribute.set_i(number());
    case onnx::AttributeProto::FLOAT:
      return attribute.set_f(real());
    case onnx::AttributeProto::STRING:
      return attribute.set_s(text());
    case onnx::AttributeProto::INTS:
      return changeList(*attribute.mutable_ints(), [&] { return number(); });
    case onnx::AttributeProto::FLOATS:
      return changeList(*attribute.mutable_floats(), [&] { return real(); });
    default:
      return;
    }
  }

  void changeAttribute() {
    if (graph.node().empty())
      return;
    onnx::NodeProto &node = *graph.mutable_node(anyNode());
    size_t action = below(6);
    if (node.attribute().empty() || action == 0)
      return addAttribute(node);
    if (action == 1)
      return node.mutable_attribute()->RemoveLast();
    onnx::AttributeProto &attribute = *node.mutable_attribute(static_cast<int>(below(node.attribute_size())));
    setAttribute(attribute, attribute.type());
  }

  onnx::ModelProto &model;
  onnx::GraphProto &graph;
};

} // namespace

std::string mutateModel(const std::string &bytes, uint32_t seed) {
  if (hasTables(bytes))
    return mutateTables(bytes, seed);
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes) || !model.has_graph())
    return bytes;
  ModelMutator(model, seed).run();
  return model.SerializeAsString();
}
