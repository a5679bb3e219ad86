// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for graphs of TensorFlow.
//
// How:  one to four changes, each of one node: its operator, an operand, an attribute, a constant, or a node more.

#include "test/fuzz/MutateModel.h"
#include "test/fuzz/RandomChoice.h"

#include "compiler/import/tensorflow/Operators.h"

#include "tensorflow.pb.h"
#include <cmath>
#include <vector>

using namespace nacre::importer;

namespace {

/// Larger tensors would make every later change of this graph slow.
constexpr int mostElements = 1024;

class GraphMutator : RandomChoice {
public:
  GraphMutator(tensorflow::GraphDef &graph, uint32_t seed) : RandomChoice(seed), graph(graph) {}

  void run() {
    for (size_t changes = 1 + below(4); changes && graph.node_size(); --changes)
      change(*graph.mutable_node(static_cast<int>(below(graph.node_size()))));
  }

private:
  void change(tensorflow::NodeDef &node) {
    switch (below(8)) {
    case 0:
      return node.set_op(operatorName());
    case 1:
      return addNode();
    case 2:
    case 3:
      return changeOperand(node);
    default:
      return changeAttribute(node);
    }
  }

  int64_t number() {
    static constexpr int64_t edges[] = {
        -1, -2, 64, 255, 65536, (1 << 24) + 1, INT32_MAX, INT64_MAX, int64_t(1) << 40, INT64_MIN, INT32_MIN};
    return below(4) ? static_cast<int64_t>(below(9)) : pick(edges);
  }

  float real() {
    static const float edges[] = {0, -0.0f, 0.5f, 1, -1, 2, 1e-45f, 1e38f, 1e-5f, INFINITY, -INFINITY, std::nanf("")};
    return pick(edges);
  }

  tensorflow::DataType type() {
    static constexpr int common[] = {1, 1, 1, 3, 3, 9, 10};
    return static_cast<tensorflow::DataType>(below(3) ? pick(common) : below(26));
  }

  const std::string &operatorName() {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> result;
      for (llvm::StringRef name : tensorflow_format::getOperators().getEntries().keys())
        result.push_back(name.str());
      std::sort(result.begin(), result.end()); // a map's order is not the same in every build
      return result;
    }();
    return pick(names);
  }

  const std::string &text() {
    static const std::string words[] = {"SAME",    "VALID",     "EXPLICIT",  "NHWC", "NCHW",
                                        "REFLECT", "SYMMETRIC", "ij,jk->ik", ""};
    return pick(words);
  }

  /// The name of a result; now and then of one that there is not, or an edge of control.
  std::string operand() {
    std::string name = pick(graph.node()).name();
    size_t form = below(12);
    return form == 0 ? "^" + name : form < 3 ? name + ":" + std::to_string(below(4)) : name;
  }

  void addNode() {
    tensorflow::NodeDef node;
    node.set_name("fuzz" + std::to_string(graph.node_size()));
    node.set_op(operatorName());
    for (size_t operands = 1 + below(4); operands; --operands)
      node.add_input(operand());
    *graph.add_node() = std::move(node);
  }

  void changeOperand(tensorflow::NodeDef &node) {
    if (node.input_size() == 0 || below(4) == 0)
      node.add_input(operand());
    else if (below(4) == 0)
      node.mutable_input()->RemoveLast();
    else
      node.set_input(static_cast<int>(below(node.input_size())), operand());
  }

  void changeAttribute(tensorflow::NodeDef &node) {
    if (node.attr_size() == 0 || below(8) == 0) {
      static const char *const names[] = {"strides", "ksize", "data_format", "axis", "T", "keep_dims", "shape", "N"};
      node.add_attr()->set_key(pick(names));
    }
    auto &value = *node.mutable_attr(static_cast<int>(below(node.attr_size())))->mutable_value();
    if (value.has_tensor())
      changeTensor(*value.mutable_tensor());
    else if (value.has_shape())
      changeShape(*value.mutable_shape());
    else if (value.has_list() && below(4))
      changeList(*value.mutable_list());
    else
      setAttribute(value);
  }

  void setAttribute(tensorflow::AttrValue &value) {
    switch (below(6)) {
    case 0:
      return value.set_i(number());
    case 1:
      return value.set_f(real());
    case 2:
      return value.set_s(text());
    case 3:
      return value.set_b(below(2));
    case 4:
      return value.set_type(type());
    default:
      return changeList(*value.mutable_list());
    }
  }

  void changeList(tensorflow::AttrValue::ListValue &list) {
    if (list.i_size() && below(4))
      list.set_i(static_cast<int>(below(list.i_size())), number());
    else
      list.add_i(number());
  }

  void changeShape(tensorflow::TensorShapeProto &shape) {
    if (shape.dim_size() == 0 || below(4) == 0)
      shape.add_dim()->set_size(number());
    else if (below(4) == 0)
      shape.mutable_dim()->RemoveLast();
    else
      shape.mutable_dim(static_cast<int>(below(shape.dim_size())))->set_size(number());
  }

  /// Another shape or type, or other elements: as many as there should be, or fewer.
  void changeTensor(tensorflow::TensorProto &tensor) {
    if (below(3) == 0)
      changeShape(*tensor.mutable_tensor_shape());
    if (below(6) == 0)
      tensor.set_dtype(type());
    tensor.clear_tensor_content();
    size_t count = 1 + below(below(2) ? 4 : mostElements);
    tensor.clear_int_val();
    tensor.clear_float_val();
    for (size_t element = 0; element < count; ++element)
      if (tensor.dtype() == tensorflow::DT_INT32)
        tensor.add_int_val(static_cast<int32_t>(number()));
      else
        tensor.add_float_val(real());
  }

  tensorflow::GraphDef &graph;
};

} // namespace

std::string mutateModel(const std::string &bytes, uint32_t seed) {
  tensorflow::GraphDef graph;
  if (!graph.ParseFromString(bytes))
    return bytes;
  GraphMutator(graph, seed).run();
  return graph.SerializeAsString();
}
