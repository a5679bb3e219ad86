// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. shapes and attributes, 2. the model.

#include "test/unit/compiler/NodeDraw.h"

#include "test/unit/compiler/AttentionShapes.h"
#include "test/unit/compiler/NodeParts.h"
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
// 1. Shapes and attributes
//===----------------------------------------------------------------------===//

/// The shape of an operand beside the first, of shape `x`: one of those that definitions ask for.
Dims drawShapeBeside(Draw &draw, const Dims &x) {
  size_t rank = x.size();
  switch (draw.below(11)) {
  case 0:
  case 1:
    return x;
  case 2:
    return {};
  case 3:
    return {draw.of<int64_t>({0, 1, 2})};
  case 4:
  case 5:
    return rank > 1 ? Dims{x[1]} : Dims{int64_t(rank)};
  case 6:
    return {int64_t(rank)};
  case 7: { // a matrix to multiply with
    Dims shape(x);
    if (rank > 1)
      std::swap(shape[rank - 1], shape[rank - 2]);
    return shape;
  }
  case 8: { // a filter
    Dims shape(x);
    for (int64_t &dim : shape)
      dim = draw.of<int64_t>({1, 1, 2, 3});
    if (rank > 1)
      shape[1] = x[1];
    return shape;
  }
  case 9: // broadcasts
    return rank ? Dims(x.begin() + draw.below(rank), x.end()) : x;
  default:
    return draw.shape();
  }
}

/// What is drawn of attributes: a name that some operator knows, and values that mean something to it.
void addAttribute(Draw &draw, onnx::NodeProto &node, llvm::StringRef name, size_t rank) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  auto setInts = [&](size_t count, auto value) {
    attribute.set_type(onnx::AttributeProto::INTS);
    for (size_t index = 0; index < count; ++index)
      attribute.add_ints(value());
  };
  size_t spatial = rank > 2 ? rank - 2 : 1;
  if (llvm::is_contained({"kernel_shape", "strides", "dilations", "output_padding", "output_shape"}, name)) {
    setInts(spatial + draw.oneIn(12), [&] { return draw.oneIn(12) ? draw.integer() : draw.of<int64_t>({1, 1, 2}); });
  } else if (name == "pads" || name == "paddings") {
    setInts(2 * (draw.oneIn(3) ? rank : spatial), [&] { return draw.of<int64_t>({0, 0, 1, 1, 2, -1}); });
  } else if (name == "perm") {
    std::vector<int64_t> axes(rank);
    std::iota(axes.rbegin(), axes.rend(), draw.oneIn(6) ? 1 : 0);
    size_t next = 0;
    setInts(rank, [&] { return axes[next++]; });
  } else if (name == "border") {
    setInts(4, [&] { return draw.of<int64_t>({0, 0, 0, 1}); });
  } else if (llvm::is_contained({"axes", "shape", "split", "starts", "ends", "value_ints"}, name)) {
    setInts(draw.below(4), [&] { return draw.integer(); });
  } else if (llvm::is_contained({"alpha", "beta", "gamma", "value_float", "epsilon", "bias", "lambd", "min", "max",
                                 "clip", "height_scale", "cubic_coeff_a", "extrapolation_value", "spatial_scale"},
                                name)) {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(draw.of<float>({0, 1, -1, 0.5, 1e30F, -1e-30F, std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN()}));
  } else if (name == "scales") {
    attribute.set_type(onnx::AttributeProto::FLOATS);
    for (size_t axis = 0; axis < rank + draw.oneIn(8); ++axis)
      attribute.add_floats(axis < 2 && !draw.oneIn(4) ? 1 : draw.of<float>({0.1F, 1, 2, 2, 0, -1, 1e30F}));
  } else if (llvm::is_contained({"mode", "auto_pad", "direction", "approximate", "reduction", "nearest_mode",
                                 "activations", "coordinate_transformation_mode", "keep_aspect_ratio_policy",
                                 "padding_mode"},
                                name)) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(draw.of<const char *>(
        {"linear",     "nearest",  "edge",          "reflect",    "wrap",          "CRD",     "SAME_UPPER",
         "SAME_LOWER", "VALID",    "LEFT",          "RIGHT",      "bidirectional", "reverse", "tanh",
         "floor",      "ceil",     "align_corners", "asymmetric", "not_larger",    "sum",     "none",
         "mean",       "\x01\xff", "cubic",         "border",     "reflection",    "max",     "tf_crop_and_resize"}));
  } else if (name == "round_mode") {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(draw.of<const char *>({"up", "down", "nearest", "NEAREST"}));
  } else if (llvm::is_contained({"N", "K", "bits"}, name) && !draw.oneIn(8)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(name == "N" ? 3 : name == "bits" ? 4 : 16);
  } else if (name == "block_size" && !draw.oneIn(8)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(draw.of<int64_t>({1, 2, 16, 16}));
  } else if (llvm::is_contained({"to", "dtype", "output_datatype", "output_dtype"}, name)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(draw.oneIn(8) ? draw.integer() : draw.type(Holds::Stored));
  } else {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(draw.integer());
  }
}

constexpr const char *attributeNames[] = {"align_corners",
                                          "alpha",
                                          "antialias",
                                          "approximate",
                                          "border",
                                          "consumed_inputs",
                                          "ignore_index",
                                          "inverse",
                                          "is_test",
                                          "max_gram_length",
                                          "max_skip_count",
                                          "min_gram_length",
                                          "onesided",
                                          "output_datatype",
                                          "paddings",
                                          "periodic",
                                          "reduction",
                                          "shape",
                                          "auto_pad",
                                          "axes",
                                          "axis",
                                          "batch_axis",
                                          "beta",
                                          "bias",
                                          "block_size",
                                          "blocksize",
                                          "broadcast",
                                          "ceil_mode",
                                          "center_point_box",
                                          "clip",
                                          "cubic_coeff_a",
                                          "to",
                                          "dilations",
                                          "direction",
                                          "dtype",
                                          "ends",
                                          "epsilon",
                                          "exclude_outside",
                                          "exclusive",
                                          "extrapolation_value",
                                          "fmod",
                                          "gamma",
                                          "group",
                                          "hidden_size",
                                          "k",
                                          "keepdims",
                                          "kernel_shape",
                                          "lambd",
                                          "largest",
                                          "layout",
                                          "max",
                                          "min",
                                          "mode",
                                          "nearest_mode",
                                          "noop_with_empty_axes",
                                          "num_groups",
                                          "num_outputs",
                                          "offset_group",
                                          "output_dtype",
                                          "output_height",
                                          "output_padding",
                                          "output_shape",
                                          "p",
                                          "padding_mode",
                                          "pads",
                                          "perm",
                                          "sampling_ratio",
                                          "scales",
                                          "select_last_index",
                                          "size",
                                          "sorted",
                                          "spatial",
                                          "spatial_scale",
                                          "split",
                                          "starts",
                                          "storage_order",
                                          "strides",
                                          "transA",
                                          "transB",
                                          "training_mode",
                                          "upper",
                                          "allowzero",
                                          "start",
                                          "end",
                                          "count_include_pad",
                                          "detect_negative",
                                          "coordinate_transformation_mode",
                                          "keep_aspect_ratio_policy"};

/// Attributes without which an operator computes nothing.
std::vector<const char *> requiredAttributes(llvm::StringRef op, int64_t version) {
  if (op == "QLinearAveragePool")
    return {"kernel_shape", "channels_last"};
  if (op == "QLinearGlobalAveragePool")
    return {"channels_last"};
  if (op.ends_with("Pool") && !op.starts_with("Global"))
    return {"kernel_shape"};
  if ((op == "BatchNormalization" || op == "Dropout") && version < 7)
    return {"is_test"};
  if (op == "Constant")
    return {"value_int"};
  if (op == "Cast" && version >= 6)
    return {"to", "saturate", "round_mode"};
  if (op == "Cast" || op == "BitCast")
    return {"to"};
  if (op == "MatMulNBits")
    return {"N", "K", "block_size", "bits"};
  if (op == "GatherBlockQuantized")
    return {"block_size"};
  if (op == "BitShift")
    return {"direction"};
  if (op == "DepthToSpace" || op == "SpaceToDepth")
    return {"blocksize"};
  if (op == "LRN")
    return {"size"};
  if (op == "GroupNormalization")
    return {"num_groups"};
  if (op == "Concat")
    return {"axis"};
  if (op == "Pad" && version < 11)
    return {version < 2 ? "paddings" : "pads"};
  if ((op == "Reshape" && version < 5) || op == "RandomUniform" || op == "RandomNormal")
    return {"shape"};
  if (op == "Crop")
    return {"border"};
  if (op == "ImageScaler")
    return {"bias"};
  if (op == "Slice" && version < 10)
    return {"starts", "ends"};
  if (op == "TopK" && version < 10)
    return {"k"};
  if (op == "Upsample" && version < 9)
    return {version < 7 ? "height_scale" : "scales"};
  if (op == "TfIdfVectorizer")
    return {"mode", "pool_int64s", "ngram_counts", "ngram_indexes"};
  if (op == "Einsum")
    return {"equation"};
  if (op == "Unsqueeze" && version < 13)
    return {"axes"};
  if (op == "Scan")
    return {"num_scan_inputs"};
  if (op == "RoiAlign")
    return {"sampling_ratio"};
  return {};
}

//===----------------------------------------------------------------------===//
// 2. The model
//===----------------------------------------------------------------------===//

/// The shape that a definition asks for, where it leaves no choice or little.
std::optional<Dims> getAskedShape(llvm::StringRef op, size_t index, const Dims &x, Draw &draw) {
  if (op == "LSTM" || op == "GRU" || op == "RNN") {
    int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    const Dims shapes[] = {{3, 2, 4}, {1, gates * 5, 4}, {1, gates * 5, 5}, {1, 2 * gates * 5},
                           {2},       {1, 2, 5},         {1, 2, 5},         {1, 15}};
    return shapes[index];
  }
  if (op == "Gemm")
    return std::vector<Dims>{{2, 3}, {3, 4}, {4}}[index];
  if (op == "MatMulNBits")
    return std::vector<Dims>{{2, 16}, {3, 1, 8}, {3}, {3}, {16}, {3}}[index];
  if (op == "GatherBlockQuantized")
    return std::vector<Dims>{{3, 16}, {2}, {3, 1}, {3, 1}}[index];
  if (op == "DepthToSpace" || op == "SpaceToDepth")
    return Dims{1, 4, 2, 4};
  if (op == "GridSample")
    return std::vector<Dims>{{2, 3, 4, 5}, {2, 6, 4, 2}}[index];
  if (op == "AffineGrid")
    return std::vector<Dims>{{1, 2, 3}, {4}}[index];
  if (op == "Attention" && index < 3)
    return Dims{2, 3, 4, 4};
  if (op == "RotaryEmbedding")
    return std::vector<Dims>{{2, 3, 4, 4}, {2, 4, 2}, {2, 4, 2}, {2, 4}}[index];
  if (op == "RoiAlign")
    return std::vector<Dims>{{2, 3, 4, 5}, {3, 4}, {3}}[index];
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
    bool saysNumbers = op == "Range" || op == "Loop" || op == "MelWeightMatrix" ||
                       (index && rule.group == 0 && !(findsSizes && draw.oneIn(2)));
    node.add_input(name);
    if (rule.holds == Holds::Sequence)
      name = addSequence(graph, name);
    if (maybeConstant(type) && draw.oneIn(saysNumbers ? 1 : 4))
      addConstant(draw, graph, name, type, shape);
    else
      setType(*graph.add_input(), name, type, shape);
  }
  for (const char *name : requiredAttributes(op, version))
    addAttribute(draw, node, name, first.size());
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    settleAttribute(draw, attribute, op, version, first);
  addAttentionAttributes(draw, node, firstOperand);
  while (draw.oneIn(2)) {
    llvm::StringRef name = attributeNames[draw.below(std::size(attributeNames))];
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
