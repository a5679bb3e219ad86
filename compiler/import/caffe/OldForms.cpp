// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts networks in the two forms that Caffe had before the present one.
//
// In the second form, types are enumerators, and parameters are the present ones. In the first form, types are other
// words, and a nested layer has the parameters of all types. Padding is a separate layer before the layer that needs
// it.

#include "compiler/import/caffe/OldForms.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace nacre::importer::caffe_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. The second form
//===----------------------------------------------------------------------===//

/// Returns the present name of a type that was an enumerator. Returns an empty name if that type no longer exists.
StringRef nameOf(caffe::V1LayerParameter::LayerType type) {
  using Old = caffe::V1LayerParameter;
  static const std::pair<Old::LayerType, const char *> words[] = {
      {Old::ABSVAL, "AbsVal"},
      {Old::ACCURACY, "Accuracy"},
      {Old::ARGMAX, "ArgMax"},
      {Old::BNLL, "BNLL"},
      {Old::CONCAT, "Concat"},
      {Old::CONTRASTIVE_LOSS, "ContrastiveLoss"},
      {Old::CONVOLUTION, "Convolution"},
      {Old::DATA, "Data"},
      {Old::DECONVOLUTION, "Deconvolution"},
      {Old::DROPOUT, "Dropout"},
      {Old::DUMMY_DATA, "DummyData"},
      {Old::ELTWISE, "Eltwise"},
      {Old::EUCLIDEAN_LOSS, "EuclideanLoss"},
      {Old::EXP, "Exp"},
      {Old::FLATTEN, "Flatten"},
      {Old::HDF5_DATA, "HDF5Data"},
      {Old::HDF5_OUTPUT, "HDF5Output"},
      {Old::HINGE_LOSS, "HingeLoss"},
      {Old::IM2COL, "Im2col"},
      {Old::IMAGE_DATA, "ImageData"},
      {Old::INFOGAIN_LOSS, "InfogainLoss"},
      {Old::INNER_PRODUCT, "InnerProduct"},
      {Old::LRN, "LRN"},
      {Old::MEMORY_DATA, "MemoryData"},
      {Old::MULTINOMIAL_LOGISTIC_LOSS, "MultinomialLogisticLoss"},
      {Old::MVN, "MVN"},
      {Old::POOLING, "Pooling"},
      {Old::POWER, "Power"},
      {Old::RELU, "ReLU"},
      {Old::SIGMOID, "Sigmoid"},
      {Old::SIGMOID_CROSS_ENTROPY_LOSS, "SigmoidCrossEntropyLoss"},
      {Old::SILENCE, "Silence"},
      {Old::SLICE, "Slice"},
      {Old::SOFTMAX, "Softmax"},
      {Old::SOFTMAX_LOSS, "SoftmaxWithLoss"},
      {Old::SPLIT, "Split"},
      {Old::TANH, "TanH"},
      {Old::THRESHOLD, "Threshold"},
      {Old::WINDOW_DATA, "WindowData"},
  };
  const auto *found = llvm::find_if(words, [&](const auto &word) { return word.first == type; });
  return found == std::end(words) ? "" : found->second;
}

/// Copies the fields that have the same name and type in both forms.
void copyFields(const google::protobuf::Message &from, google::protobuf::Message &to) {
  std::vector<const google::protobuf::FieldDescriptor *> fields;
  from.GetReflection()->ListFields(from, &fields);
  for (const google::protobuf::FieldDescriptor *field : fields) {
    const auto *target = to.GetDescriptor()->FindFieldByName(field->name());
    if (!target || target->cpp_type() != field->cpp_type())
      continue;
    if (field->name() == "bottom" || field->name() == "top") {
      for (int i = 0; i < from.GetReflection()->FieldSize(from, field); ++i)
        to.GetReflection()->AddString(&to, target, from.GetReflection()->GetRepeatedString(from, field, i));
    } else if (field->is_repeated() && field->message_type()) {
      for (int i = 0; i < from.GetReflection()->FieldSize(from, field); ++i)
        to.GetReflection()->AddMessage(&to, target)->CopyFrom(from.GetReflection()->GetRepeatedMessage(from, field, i));
    } else if (field->message_type()) {
      to.GetReflection()->MutableMessage(&to, target)->CopyFrom(from.GetReflection()->GetMessage(from, field));
    }
  }
}

//===----------------------------------------------------------------------===//
// 2. The first form
//===----------------------------------------------------------------------===//

/// Returns the present name of a type that was a lower-case word. Returns an empty name if that type no longer exists.
StringRef nameOf(StringRef type) {
  static const std::pair<StringRef, StringRef> words[] = {
      {"accuracy", "Accuracy"},
      {"bnll", "BNLL"},
      {"concat", "Concat"},
      {"conv", "Convolution"},
      {"data", "Data"},
      {"dropout", "Dropout"},
      {"euclidean_loss", "EuclideanLoss"},
      {"flatten", "Flatten"},
      {"hdf5_data", "HDF5Data"},
      {"hdf5_output", "HDF5Output"},
      {"im2col", "Im2col"},
      {"images", "ImageData"},
      {"infogain_loss", "InfogainLoss"},
      {"innerproduct", "InnerProduct"},
      {"lrn", "LRN"},
      {"multinomial_logistic_loss", "MultinomialLogisticLoss"},
      {"pool", "Pooling"},
      {"relu", "ReLU"},
      {"sigmoid", "Sigmoid"},
      {"softmax", "Softmax"},
      {"softmax_loss", "SoftmaxWithLoss"},
      {"split", "Split"},
      {"tanh", "TanH"},
      {"window_data", "WindowData"},
  };
  const auto *found = llvm::find_if(words, [&](const auto &word) { return word.first == type; });
  return found == std::end(words) ? StringRef() : found->second;
}

/// Present location of a parameter of the first form.
struct Moved {
  StringRef field, type, parameters, name;
};

constexpr StringRef convolution = "convolution_param", pooling = "pooling_param", product = "inner_product_param",
                    lrn = "lrn_param";
constexpr Moved moves[] = {
    {"alpha", "LRN", lrn, "alpha"},
    {"beta", "LRN", lrn, "beta"},
    {"bias_filler", "Convolution", convolution, "bias_filler"},
    {"bias_filler", "InnerProduct", product, "bias_filler"},
    {"biasterm", "Convolution", convolution, "bias_term"},
    {"biasterm", "InnerProduct", product, "bias_term"},
    {"concat_dim", "Concat", "concat_param", "concat_dim"},
    {"dropout_ratio", "Dropout", "dropout_param", "dropout_ratio"},
    {"group", "Convolution", convolution, "group"},
    {"k", "LRN", lrn, "k"},
    {"kernelsize", "Convolution", convolution, "kernel_size"},
    {"kernelsize", "Pooling", pooling, "kernel_size"},
    {"local_size", "LRN", lrn, "local_size"},
    {"num_output", "Convolution", convolution, "num_output"},
    {"num_output", "InnerProduct", product, "num_output"},
    {"pad", "Convolution", convolution, "pad"},
    {"pad", "Pooling", pooling, "pad"},
    {"pool", "Pooling", pooling, "pool"},
    {"stride", "Convolution", convolution, "stride"},
    {"stride", "Pooling", pooling, "stride"},
    {"weight_filler", "Convolution", convolution, "weight_filler"},
    {"weight_filler", "InnerProduct", product, "weight_filler"},
};

/// Sets a field of `to`, which may be a list, to the value of a field of `from`.
void moveField(const Message &from, const FieldDescriptor *field, Message &to, const FieldDescriptor *target) {
  const auto *read = from.GetReflection(), *write = to.GetReflection();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_UINT32:
    if (target->is_repeated())
      return write->AddUInt32(&to, target, read->GetUInt32(from, field));
    return write->SetUInt32(&to, target, read->GetUInt32(from, field));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return write->SetFloat(&to, target, read->GetFloat(from, field));
  case FieldDescriptor::CPPTYPE_BOOL:
    return write->SetBool(&to, target, read->GetBool(from, field));
  case FieldDescriptor::CPPTYPE_ENUM:
    return write->SetEnumValue(&to, target, read->GetEnumValue(from, field));
  default:
    write->MutableMessage(&to, target)->CopyFrom(read->GetMessage(from, field));
  }
}

/// Moves all parameters of the layer. Fails after an error.
LogicalResult moveParameters(const caffe::V0LayerParameter &old, caffe::LayerParameter &layer, Location loc) {
  std::vector<const FieldDescriptor *> fields;
  old.GetReflection()->ListFields(old, &fields);
  for (const FieldDescriptor *field : fields) {
    StringRef name = field->name();
    if (name == "name" || name == "type" || name == "blobs")
      continue;
    const auto *move =
        llvm::find_if(moves, [&](const Moved &row) { return row.field == name && row.type == layer.type(); });
    if (move == std::end(moves))
      return emitError(loc) << "layer '" << old.name() << "' of type '" << old.type() << "' must have no field '"
                            << name << "', which layers of this type do not use";
    const FieldDescriptor *message = layer.GetDescriptor()->FindFieldByName(move->parameters.str());
    Message &parameters = *layer.GetReflection()->MutableMessage(&layer, message);
    moveField(old, field, parameters, parameters.GetDescriptor()->FindFieldByName(move->name.str()));
  }
  return success();
}

/// Result of a padding layer: the blob before the padding, and the padding.
struct Padded {
  std::string blob;
  uint32_t pad;
};

/// Converts the layer of the first form inside `old`. Fails after an error.
LogicalResult upgradeFirst(const caffe::V1LayerParameter &old, llvm::StringMap<Padded> &padded,
                           caffe::NetParameter &net, Location loc) {
  const caffe::V0LayerParameter &inner = old.layer();
  if (inner.type() == "padding") {
    if (old.bottom_size() != 1 || old.top_size() != 1)
      return emitError(loc) << "layer '" << inner.name() << "' pads, and must have one bottom and one top";
    padded[old.top(0)] = {old.bottom(0), inner.pad()};
    return success();
  }
  caffe::LayerParameter &layer = *net.add_layer();
  layer.set_name(inner.name());
  layer.set_type(nameOf(inner.type()).str());
  *layer.mutable_bottom() = old.bottom();
  *layer.mutable_top() = old.top();
  if (failed(moveParameters(inner, layer, loc)))
    return failure();
  for (std::string &bottom : *layer.mutable_bottom()) {
    auto found = padded.find(bottom);
    if (found == padded.end())
      continue;
    bottom = found->second.blob;
    if (layer.type() == "Convolution") {
      layer.mutable_convolution_param()->clear_pad();
      layer.mutable_convolution_param()->add_pad(found->second.pad);
    } else if (layer.type() == "Pooling") {
      layer.mutable_pooling_param()->set_pad(found->second.pad);
    } else {
      return emitError(loc) << "layer '" << inner.name() << "' reads the result of a padding layer, so it must be a "
                            << "convolution or a pooling";
    }
  }
  for (const std::string &top : layer.top())
    padded.erase(top);
  return success();
}

} // namespace

LogicalResult upgradeLayers(caffe::NetParameter &net, Location loc) {
  llvm::StringMap<Padded> padded;
  for (const caffe::V1LayerParameter &old : net.layers()) {
    if (old.has_layer()) {
      if (failed(upgradeFirst(old, padded, net, loc)))
        return failure();
      continue;
    }
    caffe::LayerParameter &layer = *net.add_layer();
    layer.set_name(old.name());
    layer.set_type(nameOf(old.type()).str());
    copyFields(old, layer);
  }
  return success();
}

} // namespace nacre::importer::caffe_format
