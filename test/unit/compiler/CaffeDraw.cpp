// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. parameters, by protobuf's reflection, 2. weights, 3. the network.

#include "test/unit/compiler/CaffeDraw.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace nacre;
using namespace nacre::importer;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using llvm::StringRef;

using Dims = std::vector<int64_t>;

namespace {

constexpr int64_t numOutputs = 4, kernelSize = 2; ///< Numbers of most layers

//===----------------------------------------------------------------------===//
// 1. Parameters
//===----------------------------------------------------------------------===//

/// The field of a layer's parameters, null for a type that has none: `InnerProduct` has `inner_product_param`.
const FieldDescriptor *findParameters(StringRef type) {
  std::string wanted = type == "Deconvolution" ? "convolution" : type == "Normalize" ? "norm" : type.lower();
  const auto *layer = caffe::LayerParameter::descriptor();
  for (int index = 0; index < layer->field_count(); ++index) {
    StringRef name = layer->field(index)->name();
    if (!name.consume_back("_param"))
      continue;
    std::string letters = name.str();
    llvm::erase(letters, '_');
    if (letters == wanted)
      return layer->field(index);
  }
  return nullptr;
}

int64_t drawNumber(Draw &draw, StringRef name) {
  if (name == "num_output" && !draw.oneIn(8))
    return numOutputs;
  if ((name == "kernel_size" || name.starts_with("pooled_")) && !draw.oneIn(8))
    return kernelSize;
  if (name == "local_size" && !draw.oneIn(8))
    return draw.of<int64_t>({1, 3, 5});
  return draw.integer();
}

void setField(Draw &draw, Message &message, const FieldDescriptor *field) {
  const auto *reflection = message.GetReflection();
  const bool isList = field->is_repeated();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32: {
    const auto value = int32_t(drawNumber(draw, field->name()));
    return isList ? reflection->AddInt32(&message, field, value) : reflection->SetInt32(&message, field, value);
  }
  case FieldDescriptor::CPPTYPE_UINT32: {
    const auto value = uint32_t(drawNumber(draw, field->name()));
    return isList ? reflection->AddUInt32(&message, field, value) : reflection->SetUInt32(&message, field, value);
  }
  case FieldDescriptor::CPPTYPE_FLOAT:
    return isList ? reflection->AddFloat(&message, field, draw.real())
                  : reflection->SetFloat(&message, field, draw.real());
  case FieldDescriptor::CPPTYPE_BOOL:
    return reflection->SetBool(&message, field, draw.oneIn(2));
  case FieldDescriptor::CPPTYPE_ENUM:
    return reflection->SetEnum(&message, field,
                               field->enum_type()->value(int(draw.below(field->enum_type()->value_count()))));
  case FieldDescriptor::CPPTYPE_MESSAGE:
    if (field->message_type() == caffe::BlobShape::descriptor())
      for (size_t count = draw.below(4); count; --count)
        static_cast<caffe::BlobShape &>(*reflection->MutableMessage(&message, field)).add_dim(draw.integer());
    return;
  default:
    return;
  }
}

bool isNeeded(StringRef name) {
  return llvm::is_contained(
      {"num_output", "kernel_size", "local_size", "tiles", "shape", "order", "pooled_h", "pooled_w"}, name);
}

void drawParameters(Draw &draw, caffe::LayerParameter &layer) {
  const FieldDescriptor *parameters = findParameters(layer.type());
  if (!parameters)
    return;
  Message &message = *layer.GetReflection()->MutableMessage(&layer, parameters);
  const auto *type = message.GetDescriptor();
  for (int index = 0; index < type->field_count(); ++index) {
    const FieldDescriptor *field = type->field(index);
    if (isNeeded(field->name()) ? draw.oneIn(12) : !draw.oneIn(5))
      continue;
    setField(draw, message, field);
    while (field->is_repeated() && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE && draw.oneIn(3))
      setField(draw, message, field);
  }
}

//===----------------------------------------------------------------------===//
// 2. Weights
//===----------------------------------------------------------------------===//

Dims getBlobShape(StringRef type, size_t index, const Dims &x) {
  const int64_t channels = x.size() > 1 ? x[1] : 1;
  if (type == "Convolution" || type == "Deconvolution") {
    Dims filter(x.size() > 2 ? x.size() : 4, kernelSize);
    filter[0] = type == "Convolution" ? numOutputs : channels;
    filter[1] = type == "Convolution" ? channels : numOutputs;
    return index ? Dims{numOutputs} : filter;
  }
  if (type == "InnerProduct") {
    int64_t rest = 1;
    for (size_t axis = 1; axis < x.size(); ++axis)
      rest *= x[axis];
    return index ? Dims{numOutputs} : Dims{numOutputs, rest};
  }
  return type == "BatchNorm" && index == 2 ? Dims{1} : Dims{channels};
}

void addBlob(Draw &draw, caffe::LayerParameter &layer, const Dims &shape) {
  caffe::BlobProto &blob = *layer.add_blobs();
  int64_t count = 1;
  blob.mutable_shape();
  for (int64_t dim : shape) {
    blob.mutable_shape()->add_dim(dim);
    count *= dim;
  }
  for (int64_t index = 0; index < count; ++index)
    blob.add_data(draw.real());
}

} // namespace

//===----------------------------------------------------------------------===//
// 3. The network
//===----------------------------------------------------------------------===//

DrawnNetwork nacre::drawNetwork(Draw &draw, StringRef type, llvm::ArrayRef<OperandRule> rules) {
  DrawnNetwork drawn;
  caffe::LayerParameter layer;
  layer.set_name("node");
  layer.set_type(type.str());
  const bool takesBlobs = rules.back().getName() == "blobs";
  const bool isRepeated = rules.back().isRepeated() && !takesBlobs;
  const size_t bottoms = rules.size() - takesBlobs + (isRepeated ? draw.below(3) : draw.oneIn(20));
  const Dims x = draw.oneIn(3) ? draw.shape() : Dims{2, 4, 3, 4};
  for (size_t index = 0; index < bottoms; ++index) {
    std::string name = "x" + std::to_string(index);
    drawn.network.add_input(name);
    caffe::BlobShape &shape = *drawn.network.add_input_shape();
    const Dims rois = {3, 5};
    for (int64_t dim : index &&draw.oneIn(6) ? draw.shape() : index == 1 && type == "ROIPooling" ? rois : x)
      shape.add_dim(dim);
    layer.add_bottom(name);
  }
  drawParameters(draw, layer);
  size_t tops = type == "Slice" || type == "Split" ? 1 + draw.below(3) : 1 + draw.oneIn(20);
  for (size_t index = 0; index < tops; ++index)
    layer.add_top("y" + std::to_string(index));
  *drawn.network.add_layer() = layer;

  caffe::LayerParameter &weights = *drawn.weights.add_layer();
  weights.set_name("node");
  weights.set_type(type.str());
  static constexpr size_t counts[] = {1, 2, 2, 3};
  for (size_t index = 0, count = takesBlobs ? counts[draw.below(4)] : 0; index < count; ++index)
    addBlob(draw, weights, draw.oneIn(8) ? draw.shape() : getBlobShape(type, index, x));
  return drawn;
}
