// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for Caffe's networks, which are text.
//
// How:  one to four changes, each of one layer: its type, a blob, a layer more, or a field of its parameters, which the
//       schema lists.

#include "test/fuzz/MutateModel.h"
#include "test/fuzz/RandomChoice.h"

#include "compiler/import/caffe/Handlers.h"

#include "caffe.pb.h"
#include <cmath>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <vector>

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

namespace {

class NetworkMutator : RandomChoice {
public:
  NetworkMutator(caffe::NetParameter &net, uint32_t seed) : RandomChoice(seed), net(net) {}

  void run() {
    for (size_t changes = 1 + below(4); changes; --changes)
      change();
  }

private:
  void change() {
    if (net.layer_size() == 0 || below(8) == 0)
      return below(2) && net.layer_size() ? addLayer() : changeMessage(net);
    caffe::LayerParameter &layer = *net.mutable_layer(static_cast<int>(below(net.layer_size())));
    switch (below(8)) {
    case 0:
      return layer.set_type(typeName());
    case 1:
      return changeBottom(layer);
    default:
      return changeMessage(layer);
    }
  }

  int64_t number() {
    static constexpr int64_t edges[] = {-1, -2, 64, 255, 65536, INT32_MAX, INT32_MIN, int64_t(1) << 40, INT64_MAX};
    return below(4) ? static_cast<int64_t>(below(9)) : pick(edges);
  }

  float real() {
    static const float edges[] = {0, -0.0f, 0.5f, 1, -1, 2, 1e-45f, 1e38f, INFINITY, -INFINITY, std::nanf("")};
    return pick(edges);
  }

  const std::string &typeName() {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> result;
      for (llvm::StringRef name : nacre::importer::caffe_format::getOperators().getEntries().keys())
        result.push_back(name.str());
      std::sort(result.begin(), result.end()); // a map's order is not the same in every build
      return result;
    }();
    return pick(names);
  }

  std::string blob() {
    if (net.layer_size() == 0) // those of the forms before
      return "x";
    const caffe::LayerParameter &layer = pick(net.layer());
    return layer.top_size() ? pick(layer.top()) : "x";
  }

  void addLayer() {
    caffe::LayerParameter layer = pick(net.layer());
    layer.set_type(typeName());
    layer.set_name("fuzz" + std::to_string(net.layer_size()));
    for (std::string &top : *layer.mutable_top())
      top += "'";
    *net.add_layer() = std::move(layer);
  }

  void changeBottom(caffe::LayerParameter &layer) {
    if (layer.bottom_size() == 0 || below(4) == 0)
      layer.add_bottom(blob());
    else if (below(4) == 0)
      layer.mutable_bottom()->RemoveLast();
    else
      layer.set_bottom(static_cast<int>(below(layer.bottom_size())), blob());
  }

  /// Mostly a field that is set, so that the parameters are those of the layer's type.
  void changeMessage(Message &message) {
    std::vector<const FieldDescriptor *> fields;
    message.GetReflection()->ListFields(message, &fields);
    const auto *descriptor = message.GetDescriptor();
    if (fields.empty() || below(4) == 0)
      fields = {descriptor->field(static_cast<int>(below(descriptor->field_count())))};
    changeField(message, pick(fields));
  }

  void changeField(Message &message, const FieldDescriptor *field) {
    const auto *reflection = message.GetReflection();
    if (field->name() == "blobs" || field->name() == "payloads" || field->name() == "data")
      return;
    if (below(8) == 0)
      return reflection->ClearField(&message, field);
    const bool isList = field->is_repeated();
    if (isList && reflection->FieldSize(message, field) && below(2))
      reflection->RemoveLast(&message, field);
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return changeMessage(isList ? *reflection->AddMessage(&message, field)
                                  : *reflection->MutableMessage(&message, field));
    case FieldDescriptor::CPPTYPE_STRING:
      return isList ? reflection->AddString(&message, field, blob()) : reflection->SetString(&message, field, blob());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return isList ? reflection->AddFloat(&message, field, real()) : reflection->SetFloat(&message, field, real());
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(&message, field, below(2));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto *values = field->enum_type();
      return reflection->SetEnum(&message, field, values->value(static_cast<int>(below(values->value_count()))));
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      auto value = static_cast<uint32_t>(number());
      return isList ? reflection->AddUInt32(&message, field, value) : reflection->SetUInt32(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      auto value = static_cast<int32_t>(number());
      return isList ? reflection->AddInt32(&message, field, value) : reflection->SetInt32(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_INT64:
      if (isList)
        reflection->AddInt64(&message, field, number());
      return;
    default:
      return;
    }
  }

  caffe::NetParameter &net;
};

} // namespace

std::string mutateModel(const std::string &bytes, uint32_t seed) {
  caffe::NetParameter net;
  TextFormat::Parser parser;
  struct : google::protobuf::io::ErrorCollector {
    void AddError(int, google::protobuf::io::ColumnNumber, const std::string &) override {}
  } silence;
  parser.RecordErrorsTo(&silence);
  if (!parser.ParseFromString(bytes, &net))
    return bytes;
  NetworkMutator(net, seed).run();
  std::string text;
  TextFormat::PrintToString(net, &text);
  return text;
}
