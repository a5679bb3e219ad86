// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. shapes, 2. the model; NodeAttributes.cpp draws attributes.

#include "test/unit/compiler/NodeAttributes.h"

#include "test/unit/compiler/AttentionShapes.h"
#include "test/unit/compiler/NodeParts.h"
#include "test/unit/compiler/OperandDraw.h"
#include "test/unit/compiler/QuantizedShapes.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <map>
#include <numeric>
#include <optional>

using namespace nacre;
using namespace nacre::importer;

namespace {

using Dims = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// 1. Shapes
//===----------------------------------------------------------------------===//

/// The shape that a definition asks for, where it leaves no choice or little.
std::optional<Dims> getAskedShape(llvm::StringRef op, size_t index, const Dims &x, Draw &draw) {
  if (op == "LSTM" || op == "GRU" || op == "RNN") {
    int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    const Dims shapes[] = {{3, 2, 4}, {1, gates * 5, 4}, {1, gates * 5, 5}, {1, 2 * gates * 5},
                           {2},       {1, 2, 5},         {1, 2, 5},         {1, 15}};
    return shapes[index];
  }
  if (op == "DynamicQuantizeLSTM")
    return std::vector<Dims>{{3, 2, 4}, {1, 4, 20}, {1, 5, 20}, {1, 40}, {2}, {1, 2, 5},
                             {1, 2, 5}, {1, 15},    {1},        {1},     {1}, {1}}[index];
  if (op == "GroupNorm" || op == "SkipGroupNorm")
    return std::vector<Dims>{{1, 2, 3, 4}, {4}, {4}, {1, 2, 3, 4}, {4}}[index];
  if (op == "Gemm")
    return std::vector<Dims>{{2, 3}, {3, 4}, {4}}[index];
  if (op == "DepthToSpace" || op == "SpaceToDepth")
    return Dims{1, 4, 2, 4};
  if (op == "GridSample")
    return std::vector<Dims>{{2, 3, 4, 5}, {2, 6, 4, 2}}[index];
  if (op == "AffineGrid")
    return std::vector<Dims>{{1, 2, 3}, {4}}[index];
  if ((op == "Attention" && index < 3) || op == "FlexAttention")
    return Dims{2, 3, 4, 4};
  if (op == "RotaryEmbedding")
    return std::vector<Dims>{{2, 3, 4, 4}, {2, 4, 2}, {2, 4, 2}, {2, 4}}[index];
  if (op == "RoiAlign")
    return std::vector<Dims>{{2, 3, 4, 5}, {3, 4}, {3}}[index];
  if (op == "MaxRoiPool")
    return std::vector<Dims>{{2, 3, 4, 5}, {3, 5}}[index];
  if (op == "DeformConv")
    return std::vector<Dims>{{1, 2, 3, 4}, {3, 2, 1, 2}, {1, 4, 3, 3}, {3}, {1, 2, 3, 3}}[index];
  if (op == "Range" || op == "If" || (op == "Loop" && index < 2) || op == "MelWeightMatrix" ||
      (op == "Tile" && index == 2))
    return Dims();
  if (op.ends_with("Loss") && x.size() > 1) {
    Dims targets(x);
    targets.erase(targets.begin() + 1);
    return index == 1 ? targets : index == 2 ? Dims{x[1]} : x;
  }
  const auto rank = int64_t(x.size());
  if (op == "GatherElements" || op == "ScatterElements" || op == "Scatter" || (op == "MaxUnpool" && index == 1))
    return x;
  if ((op == "GatherND" || op == "ScatterND") && index)
    return index == 1 ? Dims{3, rank} : Dims{3};
  if (op == "TensorScatter" && index && rank)
    return index == 1 ? x : Dims{x[0]};
  if (op == "CumSum" || op == "CumProd")
    return index ? Dims() : x;
  if (op == "Col2Im")
    return index ? Dims{1} : Dims{1, 6, 1};
  if (op == "Det")
    return draw.oneIn(2) ? Dims{3, 3} : Dims{2, 5, 5};
  if (op == "TopK" || op == "Compress")
    return index ? Dims{1} : x;
  if (op == "NonMaxSuppression")
    return std::vector<Dims>{{2, 5, 4}, {2, 3, 5}, {}, {1}, {1}}[index];
  if (op == "OneHot" && index)
    return index == 1 ? Dims() : Dims{2};
  if (op.ends_with("Normalization") && index && x.size() > 1)
    return Dims{x[1]};
  return std::nullopt;
}

Dims drawShape(Draw &draw, llvm::StringRef op, llvm::StringRef firstOperand, size_t index, const OperandRule &rule,
               const Dims &first) {
  std::optional<Dims> asked = getAttentionShape(op, firstOperand, index);
  if (!asked)
    asked = getAskedShape(op, index, first, draw);
  if (!asked)
    asked = getQuantizedShape(op, rule, index, first);
  if (asked && !draw.oneIn(12))
    return *asked;
  return index ? drawShapeBeside(draw, first) : first;
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. The model
//===----------------------------------------------------------------------===//

onnx::ModelProto nacre::drawModel(Draw &draw, llvm::StringRef op, int64_t version, llvm::ArrayRef<OperandRule> rules) {
  onnx::ModelProto model;
  model.add_opset_import()->set_version(version);
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::NodeProto &node = *graph.add_node();
  node.set_name("node");
  node.set_op_type(op.str());
  Dims first = draw.shape();
  llvm::StringRef firstOperand = rules.empty() ? "" : rules.front().getName();
  std::map<char, int32_t> types; // of groups
  size_t count = rules.size() + (!rules.empty() && rules.back().isRepeated() ? draw.below(3) : 0);
  for (size_t index = 0; index < count; ++index) {
    const OperandRule &rule = rules[std::min(index, rules.size() - 1)];
    if (rule.isOptional() && draw.oneIn(2)) {
      node.add_input("");
      continue;
    }
    std::string name = "x" + std::to_string(index);
    Dims shape = drawShape(draw, op, firstOperand, index, rule, first);
    // A group that has no type yet takes the first operand's, where it may.
    const bool isLikeFirst = rule.holds == rules.front().holds && !types.count(rule.group);
    auto known = types.find(isLikeFirst ? rules.front().group : rule.group);
    const bool joins = index && rule.group && !draw.oneIn(12) && known != types.end();
    int32_t type = joins ? known->second : draw.type(getQuantizedHolds(op, rule, index));
    types.try_emplace(rule.group, type);
    // What says a shape must be constant; other operands may be.
    bool findsSizes = op == "TopK" || op == "Compress" || op == "NonMaxSuppression";
    bool saysNumbers = op == "Range" || (op == "Loop" && !draw.oneIn(3)) || op == "MelWeightMatrix" ||
                       (index && rule.group == 0 && !(findsSizes && draw.oneIn(2)));
    node.add_input(name);
    if (rule.holds == Holds::Sequence)
      name = addSequence(graph, name);
    if (maybeConstant(type) && draw.oneIn(saysNumbers ? 1 : 4))
      addConstant(draw, graph, name, type, shape);
    else if (version >= 9 && !shape.empty() && draw.oneIn(24))
      addOpen(graph, name, type, shape);
    else
      setType(*graph.add_input(), name, type, shape);
  }
  for (const char *name : requiredAttributes(op, version))
    addAttribute(draw, node, name, first.size());
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    settleAttribute(draw, attribute, op, version, first);
  addAttentionAttributes(draw, node, firstOperand);
  while (draw.oneIn(2)) {
    llvm::StringRef name = drawAttributeName(draw);
    if (llvm::none_of(node.attribute(), [&](auto &known) { return known.name() == name; }))
      addAttribute(draw, node, name, first.size());
  }
  addGraphs(node, version);
  node.add_output("y0");
  graph.add_output()->set_name(measureSequence(graph, op, "y0"));
  if (op == "Split" || op == "TopK" || op == "Unique" || draw.oneIn(20)) {
    node.add_output("y1");
    graph.add_output()->set_name("y1");
  }
  return model;
}
