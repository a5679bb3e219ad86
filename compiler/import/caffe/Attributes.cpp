// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts parameters of Caffe's layers to attributes of nodes that have the names of the fields.
//
// Protobuf's reflection reads numbers and words unchanged. A shape becomes its sizes. Fillers and random generators
// become dictionaries.

#include "compiler/import/caffe/Attributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace nacre::importer::caffe_format {
namespace {

/// Returns the name of the field with the parameters of a layer, unless it follows from the type. Returns an empty text
/// for layers without parameters.
StringRef findParameters(StringRef type) {
  static const std::pair<StringRef, StringRef> fields[] = {
      {"Accum", "accum_param"},
      {"ArgMax", "argmax_param"},
      {"BatchNorm", "batch_norm_param"},
      {"Bias", "bias_param"},
      {"Clip", "clip_param"},
      {"Concat", "concat_param"},
      {"Convolution", "convolution_param"},
      {"Correlation", "correlation_param"},
      {"Crop", "crop_param"},
      {"DataAugmentation", "augmentation_param"},
      {"Deconvolution", "convolution_param"},
      {"DetectionOutput", "detection_output_param"},
      {"ELU", "elu_param"},
      {"Eltwise", "eltwise_param"},
      {"Embed", "embed_param"},
      {"Exp", "exp_param"},
      {"Flatten", "flatten_param"},
      {"FlowWarp", "flow_warp_param"},
      {"InnerProduct", "inner_product_param"},
      {"Interp", "interp_param"},
      {"LRN", "lrn_param"},
      {"Log", "log_param"},
      {"MVN", "mvn_param"},
      {"Normalize", "norm_param"},
      {"PReLU", "prelu_param"},
      {"Permute", "permute_param"},
      {"Pooling", "pooling_param"},
      {"Power", "power_param"},
      {"PriorBox", "prior_box_param"},
      {"ROIPooling", "roi_pooling_param"},
      {"ReLU", "relu_param"},
      {"Reduction", "reduction_param"},
      {"Resample", "resample_param"},
      {"Reshape", "reshape_param"},
      {"SPP", "spp_param"},
      {"Scale", "scale_param"},
      {"Slice", "slice_param"},
      {"Softmax", "softmax_param"},
      {"Swish", "swish_param"},
      {"Threshold", "threshold_param"},
      {"Tile", "tile_param"},
  };
  const auto *found = llvm::find_if(fields, [&](const auto &field) { return field.first == type; });
  return found == std::end(fields) ? StringRef() : found->second;
}

/// Returns a single value of a field, as double or integer.
Attribute readOne(const Message &message, const FieldDescriptor *field, Builder &builder) {
  const auto *reflection = message.GetReflection();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return builder.getI64IntegerAttr(reflection->GetInt32(message, field));
  case FieldDescriptor::CPPTYPE_UINT32:
    return builder.getI64IntegerAttr(reflection->GetUInt32(message, field));
  case FieldDescriptor::CPPTYPE_BOOL:
    return builder.getI64IntegerAttr(reflection->GetBool(message, field));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return builder.getF32FloatAttr(reflection->GetFloat(message, field));
  case FieldDescriptor::CPPTYPE_ENUM:
    return builder.getStringAttr(reflection->GetEnum(message, field)->name());
  case FieldDescriptor::CPPTYPE_STRING:
    return builder.getStringAttr(reflection->GetString(message, field));
  default:
    llvm_unreachable("parameters have no other fields");
  }
}

Attribute readRepeated(const Message &message, const FieldDescriptor *field, Builder &builder) {
  const auto *reflection = message.GetReflection();
  SmallVector<int64_t> integers;
  SmallVector<float> floats;
  for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT)
      floats.push_back(reflection->GetRepeatedFloat(message, field, i));
    else
      integers.push_back(reflection->GetRepeatedUInt32(message, field, i));
  }
  return floats.empty() ? Attribute(builder.getDenseI64ArrayAttr(integers)) : builder.getDenseF32ArrayAttr(floats);
}

/// Reads the fields of a message. For a nested message, `prefix` is the path that precedes the names of its fields.
void readFields(const Message &message, StringRef prefix, Builder &builder,
                SmallVectorImpl<NamedAttribute> &attributes) {
  std::vector<const FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    auto name = builder.getStringAttr(prefix + field->name());
    if (field->name() == "engine" || field->name() == "save_output_param")
      continue; // these fields choose the library that Caffe uses, and the files that it writes
    if (field->is_repeated()) {
      attributes.emplace_back(name, readRepeated(message, field, builder));
    } else if (!field->message_type()) {
      attributes.emplace_back(name, readOne(message, field, builder));
    } else if (const Message &inner = message.GetReflection()->GetMessage(message, field);
               inner.GetDescriptor() == caffe::BlobShape::descriptor()) {
      const auto &shape = static_cast<const caffe::BlobShape &>(inner);
      attributes.emplace_back(name, builder.getDenseI64ArrayAttr(ArrayRef(shape.dim().data(), shape.dim_size())));
    } else if (inner.GetDescriptor() == caffe::FillerParameter::descriptor() ||
               inner.GetDescriptor() == caffe::RandomGeneratorParameter::descriptor()) {
      SmallVector<NamedAttribute> said;
      readFields(inner, "", builder, said);
      attributes.emplace_back(name, builder.getDictionaryAttr(said));
    } else {
      readFields(inner, (name.getValue() + ".").str(), builder, attributes);
    }
  }
}

} // namespace

SmallVector<NamedAttribute> readParameters(const caffe::LayerParameter &layer, StringRef type, MLIRContext *context) {
  SmallVector<NamedAttribute> attributes;
  Builder builder(context);
  StringRef name = findParameters(type);
  const FieldDescriptor *field = name.empty() ? nullptr : layer.GetDescriptor()->FindFieldByName(name.str());
  if (field && layer.GetReflection()->HasField(layer, field))
    readFields(layer.GetReflection()->GetMessage(layer, field), "", builder, attributes);
  return attributes;
}

} // namespace nacre::importer::caffe_format
