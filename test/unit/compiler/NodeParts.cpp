// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. values, 2. graphs, attributes, sequences.

#include "test/unit/compiler/NodeParts.h"

#include "llvm/ADT/STLExtras.h"

using namespace nacre;
using onnx::TensorProto;

//===----------------------------------------------------------------------===//
// 1. Values
//===----------------------------------------------------------------------===//

void nacre::setType(onnx::ValueInfoProto &info, const std::string &name, int32_t type,
                    const std::vector<int64_t> &shape) {
  info.set_name(name);
  onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (int64_t dim : shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(dim);
}

void nacre::addConstant(Draw &draw, onnx::GraphProto &graph, const std::string &name, int32_t type,
                        const std::vector<int64_t> &shape) {
  TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  int64_t count = 1;
  for (int64_t dim : shape) {
    tensor.add_dims(dim);
    count *= dim;
  }
  for (int64_t index = 0; index < count; ++index) {
    if (type == TensorProto::FLOAT)
      tensor.add_float_data(draw.real());
    else if (type == TensorProto::INT64)
      tensor.add_int64_data(draw.integer());
    else
      tensor.add_int32_data(draw.of<int32_t>({0, 1, 1, 2, 3}));
  }
}

bool nacre::maybeConstant(int32_t type) {
  return llvm::is_contained({TensorProto::FLOAT, TensorProto::INT64, TensorProto::INT32, TensorProto::UINT8,
                             TensorProto::INT8, TensorProto::BOOL},
                            type);
}

//===----------------------------------------------------------------------===//
// 2. Graphs, attributes, sequences
//===----------------------------------------------------------------------===//

namespace {

/// A graph that returns its inputs; one without inputs returns a constant, `number`.
void addGraph(onnx::NodeProto &node, const char *name, int numInputs, float number = 0) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto &graph = *attribute.mutable_g();
  auto give = [&](const std::string &from, const std::string &to) {
    onnx::NodeProto &identity = *graph.add_node();
    identity.set_op_type("Identity");
    identity.add_input(from);
    identity.add_output(to);
    graph.add_output()->set_name(to);
  };
  for (int index = 0; index < numInputs; ++index) {
    graph.add_input()->set_name("in" + std::to_string(index));
    give("in" + std::to_string(index), "out" + std::to_string(index));
  }
  if (numInputs == 0) {
    graph.add_initializer()->set_name("one");
    graph.mutable_initializer(0)->set_data_type(TensorProto::FLOAT);
    graph.mutable_initializer(0)->add_float_data(number);
    give("one", "out");
  }
}

} // namespace

void nacre::addGraphs(onnx::NodeProto &node, int64_t version) {
  if (node.op_type() == "If") {
    addGraph(node, "then_branch", 0, 1);
    addGraph(node, "else_branch", 0, 2);
  } else if (node.op_type() == "Loop") {
    // The iteration's number is not given back.
    addGraph(node, "body", std::max(node.input_size(), 2));
    node.mutable_attribute(node.attribute_size() - 1)->mutable_g()->mutable_output()->DeleteSubrange(0, 1);
  } else if (node.op_type() == "Scan") {
    addGraph(node, "body", node.input_size() - (version < 9));
  } else if (node.op_type() == "SequenceMap") {
    addGraph(node, "body", node.input_size());
    auto *outputs = node.mutable_attribute(node.attribute_size() - 1)->mutable_g()->mutable_output();
    outputs->DeleteSubrange(1, outputs->size() - 1);
  }
}

namespace {

/// A pool of two words and one pair of them.
void settleGrams(Draw &draw, onnx::AttributeProto &attribute) {
  llvm::StringRef name = attribute.name();
  auto setInts = [&](std::initializer_list<int64_t> values) {
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.clear_ints();
    for (int64_t value : values)
      attribute.add_ints(value);
  };
  if (name == "mode") {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(draw.of<const char *>({"TF", "IDF", "TFIDF"}));
  } else if (name == "pool_int64s") {
    setInts({1, 2, 1, draw.integer()});
  } else if (name == "ngram_counts") {
    setInts({0, draw.oneIn(8) ? draw.integer() : 2});
  } else if (name == "ngram_indexes") {
    setInts({0, draw.oneIn(8) ? draw.integer() : 3, 1});
  }
}

} // namespace

void nacre::settleAttribute(Draw &draw, onnx::AttributeProto &attribute, llvm::StringRef op, int64_t version,
                            const std::vector<int64_t> &x) {
  if (op == "Cast" && version < 6) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(draw.of<const char *>({"FLOAT", "INT32", "BOOL", "STRING", "double"}));
  } else if (op == "ImageScaler") {
    attribute.set_type(onnx::AttributeProto::FLOATS);
    for (int64_t channel = 0; x.size() > 1 && channel < x[1]; ++channel)
      attribute.add_floats(draw.of<float>({0, 1, -1e30F}));
  } else if (op == "TfIdfVectorizer") {
    settleGrams(draw, attribute);
  } else if (op == "Einsum") {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(draw.of<const char *>({"...i", "...", "ij->ji", "...i,...i->...", "ab,ab", "...a,...->a...", "x"}));
  }
}

static void addNode(onnx::GraphProto &graph, const char *op, const std::string &input, const std::string &output) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  node.add_input(input);
  node.add_output(output);
}

void nacre::addOpen(onnx::GraphProto &graph, const std::string &name, int32_t type, const std::vector<int64_t> &shape) {
  setType(*graph.add_input(), name + ".rows", type, shape);
  setType(*graph.add_input(), name + ".mask", TensorProto::BOOL, {shape.front()});
  addNode(graph, "Compress", name + ".rows", name);
  onnx::NodeProto &node = *graph.mutable_node(graph.node_size() - 1);
  node.add_input(name + ".mask");
  onnx::AttributeProto &axis = *node.add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
}

std::string nacre::addSequence(onnx::GraphProto &graph, const std::string &name) {
  addNode(graph, "SequenceConstruct", name + ".element", name);
  return name + ".element";
}

std::string nacre::measureSequence(onnx::GraphProto &graph, llvm::StringRef op, const std::string &result) {
  bool isSequence = llvm::is_contained(
      {"SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceMap", "SplitToSequence"}, op);
  if (!isSequence)
    return result;
  addNode(graph, "SequenceLength", result, result + ".length");
  return result + ".length";
}
