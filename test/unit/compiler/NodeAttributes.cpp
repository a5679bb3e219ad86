// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/compiler/NodeAttributes.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <numeric>

using namespace nacre;
using namespace nacre::importer;

/// A drawn attribute: a name that some operator knows, and values that mean something to it.
void nacre::addAttribute(Draw &draw, onnx::NodeProto &node, llvm::StringRef name, size_t rank) {
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
  } else if (name == "pooled_shape") {
    setInts(2 + draw.oneIn(12), [&] { return draw.oneIn(12) ? draw.integer() : draw.of<int64_t>({1, 2, 3}); });
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
std::vector<const char *> nacre::requiredAttributes(llvm::StringRef op, int64_t version) {
  if (op == "QLinearAveragePool")
    return {"kernel_shape", "channels_last"};
  if (op == "QLinearGlobalAveragePool")
    return {"channels_last"};
  if (op == "MaxRoiPool")
    return {"pooled_shape"};
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
  if (op == "GroupNorm" || op == "SkipGroupNorm")
    return {"groups", "activation", "channels_last"};
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

llvm::StringRef nacre::drawAttributeName(Draw &draw) { return attributeNames[draw.below(std::size(attributeNames))]; }
