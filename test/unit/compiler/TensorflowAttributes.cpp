// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/compiler/TensorflowDraw.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace nacre;
using llvm::StringRef;
using tensorflow::AttrValue;

namespace {

/// Draws the value of an attribute of that name.
struct Kind {
  const char *names; ///< separated by blanks
  void (*set)(Draw &, AttrValue &, size_t rank);
};

void setType(Draw &draw, AttrValue &value, size_t) {
  using namespace tensorflow;
  value.set_type(draw.of({DT_FLOAT, DT_FLOAT, DT_INT32, DT_INT64, DT_BOOL, DT_UINT8, DT_HALF, DT_INT8, DT_STRING}));
}

void setWindow(Draw &draw, AttrValue &value, size_t rank) {
  auto &list = *value.mutable_list();
  for (size_t axis = 0; axis < rank; ++axis)
    list.add_i(axis == 0 || axis + 1 == rank || draw.oneIn(2) ? 1 : draw.oneIn(12) ? draw.integer() : 2);
}

void setPairs(Draw &draw, AttrValue &value, size_t rank) {
  auto &list = *value.mutable_list();
  for (size_t index = 0; index < 2 * rank; ++index)
    list.add_i(index < 2 || index + 2 >= 2 * rank ? 0 : draw.of<int64_t>({0, 1, 2}));
}

void setIntegers(Draw &draw, AttrValue &value, size_t) {
  auto &list = *value.mutable_list();
  for (size_t count = draw.below(4); count; --count)
    list.add_i(draw.integer());
}

void setShape(Draw &draw, AttrValue &value, size_t) {
  auto &shape = *value.mutable_shape();
  for (size_t count = draw.below(3); count; --count)
    shape.add_dim()->set_size(draw.of<int64_t>({-1, 2, 2, 3, draw.integer()}));
}

void setText(Draw &draw, AttrValue &value, size_t) {
  value.set_s(
      draw.of<const char *>({"SAME", "SAME", "VALID", "VALID", "EXPLICIT", "NHWC", "NCHW", "NDHWC", "NCDHW", "REFLECT",
                             "SYMMETRIC", "MINUS_ONE", "ij,jk->ik", "i", "ij->ji", "...i->...", "i,i->", "LEFT_LEFT"}));
}

const Kind kinds[] = {
    {"DstT SrcT T dtype out_type type output_type element_dtype out_idx output_idx_type index_type Targmax Tidx "
     "shape_type",
     setType},
    {"strides ksize dilations rates ksizes", setWindow},
    {"explicit_paddings", setPairs},
    {"squeeze_dims", setIntegers},
    {"shape element_shape", setShape},
    {"padding data_format mode equation align", setText},
    {"keep_dims keepdims transpose_a transpose_b adj_x adj_y exclusive reverse align_corners half_pixel_centers "
     "is_training narrow_range magnitude_squared use_peephole include_batch_in_index sorted",
     [](Draw &draw, AttrValue &value, size_t) { value.set_b(draw.oneIn(2)); }},
    {"alpha beta bias epsilon exponential_avg_factor min max forget_bias cell_clip iou_threshold tolerance "
     "upper_frequency_limit lower_frequency_limit",
     [](Draw &draw, AttrValue &value, size_t) { value.set_f(draw.real()); }},
    {"axis N num num_split num_partitions block_size k num_bits batch_dims batch_dim seq_dim depth_radius window_size "
     "stride seed "
     "seed2 shrink_axis_mask begin_mask end_mask new_axis_mask ellipsis_mask filterbank_channel_count "
     "dct_coefficient_count",
     [](Draw &draw, AttrValue &value, size_t) { value.set_i(draw.integer()); }},
};

void add(Draw &draw, tensorflow::NodeDef &node, StringRef name, size_t rank) {
  auto &attribute = *node.add_attr();
  attribute.set_key(name.str());
  for (const Kind &kind : kinds)
    if (llvm::is_contained(llvm::split(kind.names, ' '), name))
      kind.set(draw, *attribute.mutable_value(), rank);
}

/// Without these an operator computes nothing.
struct Needs {
  const char *ops, *attributes; ///< separated by blanks
};

constexpr Needs needs[] = {
    {"Conv2D Conv3D Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNative Conv2DBackpropFilter "
     "Conv3DBackpropFilterV2 DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter",
     "strides padding"},
    {"AvgPool AvgPool3D MaxPool MaxPool3D MaxPoolWithArgmax MaxPoolGrad MaxPool3DGrad AvgPoolGrad AvgPool3DGrad",
     "ksize strides padding"},
    {"ExtractImagePatches", "ksizes strides rates padding"},
    {"Dilation2D", "strides rates padding"},
    {"AudioSpectrogram", "window_size stride"},
    {"DepthToSpace SpaceToDepth BatchToSpace SpaceToBatch", "block_size"},
    {"Cast", "DstT"},
    {"Bitcast", "type"},
    {"Einsum", "equation"},
    {"MirrorPad MirrorPadGrad", "mode"},
    {"Unpack", "num axis"},
    {"Split SplitV", "num_split"},
    {"DynamicPartition", "num_partitions"},
    {"EnsureShape", "shape"},
    {"Empty", "dtype"},
    {"TopK InTopK", "k"},
    {"ReverseSequence", "seq_dim"},
    {"FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3",
     "is_training"},
    {"TensorArrayV3", "dtype element_shape"},
    {"TensorArrayGatherV3 TensorArrayReadV3 TensorArrayConcatV3", "dtype"},
    {"TensorListReserve EmptyTensorList TensorListStack TensorListGetItem TensorListGather TensorListConcatV2",
     "element_dtype"},
};

} // namespace

void nacre::addAttributes(Draw &draw, tensorflow::NodeDef &node, size_t rank) {
  for (const Needs &row : needs)
    if (llvm::is_contained(llvm::split(row.ops, ' '), StringRef(node.op())))
      for (StringRef name : llvm::split(row.attributes, ' '))
        add(draw, node, name, rank);
  while (draw.oneIn(2)) {
    llvm::SmallVector<StringRef> names;
    StringRef(kinds[draw.below(std::size(kinds))].names).split(names, ' ');
    StringRef name = names[draw.below(names.size())];
    if (llvm::none_of(node.attr(), [&](const auto &known) { return known.key() == name; }))
      add(draw, node, name, rank);
  }
}
