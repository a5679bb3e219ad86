// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network of Caffe as its text says it, checked.
//
// How:  1. layers of the form before become layers of today's,
//       2. which layers are computed,
//       3. inputs, layers and outputs, with one name for each value.

#include "compiler/import/caffe/Network.h"

#include "compiler/import/Import.h"
#include "compiler/import/protobuf/ProtoText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. The form before
//===----------------------------------------------------------------------===//

/// The type of a layer that was a number; empty where there is no such layer today.
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

/// What both forms call alike, and keep alike, goes over.
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
// 2. Layers that are computed
//===----------------------------------------------------------------------===//

/// Whether the state of a network in use, which is the phase TEST, is as the rule says.
bool meets(const caffe::NetState &state, const caffe::NetStateRule &rule) {
  auto hasStage = [&](const std::string &stage) { return llvm::is_contained(state.stage(), stage); };
  return (!rule.has_phase() || rule.phase() == caffe::TEST) &&
         (!rule.has_min_level() || state.level() >= rule.min_level()) &&
         (!rule.has_max_level() || state.level() <= rule.max_level()) && llvm::all_of(rule.stage(), hasStage) &&
         llvm::none_of(rule.not_stage(), hasStage);
}

/// Layers that only training, or a person who watches it, has a use for.
bool isForTraining(StringRef type) {
  return (type.ends_with("Loss") && type != "SoftmaxWithLoss") || type == "Accuracy" || type == "Silence" ||
         type == "HDF5Output";
}

bool isDataSource(StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases("Data", "ImageData", "MemoryData", "DummyData", "WindowData", "HDF5Data", "AnnotatedData", true)
      .Default(false);
}

/// Whether each bottom makes a top of its own, by the same weights.
bool isRepeated(StringRef type) { return type == "Convolution" || type == "Deconvolution"; }

} // namespace

LogicalResult Network::upgrade(Location loc) {
  for (const caffe::V1LayerParameter &old : net.layers()) {
    if (old.has_layer())
      return emitError(loc) << "layer '" << old.layer().name()
                            << "' has the form before the last; write it as Caffe's upgrade_net_proto_text does";
    caffe::LayerParameter &layer = *net.add_layer();
    layer.set_name(old.name());
    layer.set_type(nameOf(old.type()).str());
    copyFields(old, layer);
  }
  return success();
}

bool Network::isComputed(const caffe::LayerParameter &layer) const {
  auto applies = [&](const caffe::NetStateRule &rule) { return meets(net.state(), rule); };
  if (!layer.include().empty() && llvm::none_of(layer.include(), applies))
    return false;
  return llvm::none_of(layer.exclude(), applies) && !isForTraining(layer.type());
}

//===----------------------------------------------------------------------===//
// 3. Values
//===----------------------------------------------------------------------===//

static Location locate(const caffe::LayerParameter &layer, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), layer.name()), loc);
}

LogicalResult Network::addInput(StringRef name, const caffe::BlobShape *shape, Location loc) {
  Blob &blob = blobs[name];
  if (!blob.value.empty() || name.empty())
    return emitError(loc) << "an input must have a name of its own, but is called '" << name << "'";
  NetworkInput input{names.save(name), {}};
  if (shape) {
    if (shape->dim_size() > maxRank || llvm::any_of(shape->dim(), [](int64_t dim) { return dim < 0; }))
      return emitError(loc) << "input '" << name << "' must have at most " << maxRank
                            << " dimensions of at least 0, but has others";
    input.shape.emplace(shape->dim().begin(), shape->dim().end());
  }
  blob.value = input.name;
  blob.isInput = true;
  inputs.push_back(std::move(input));
  return success();
}

/// Those that the network names before its layers: each with a shape, or with four numbers of one list.
LogicalResult Network::addDeclaredInputs(Location loc) {
  constexpr int legacyRank = 4;
  if (net.input_shape_size() && net.input_shape_size() != net.input_size())
    return emitError(loc) << "must have as many fields 'input_shape' as inputs, which are " << net.input_size()
                          << ", but has " << net.input_shape_size();
  if (net.input_dim_size() && net.input_dim_size() != legacyRank * net.input_size())
    return emitError(loc) << "must have four fields 'input_dim' for each of its " << net.input_size()
                          << " inputs, but has " << net.input_dim_size();
  for (int i = 0; i < net.input_size(); ++i) {
    caffe::BlobShape shape;
    if (net.input_dim_size())
      for (int axis = 0; axis < legacyRank; ++axis)
        shape.add_dim(net.input_dim(legacyRank * i + axis));
    const caffe::BlobShape *known = net.input_shape_size() ? &net.input_shape(i)
                                    : net.input_dim_size() ? &shape
                                                           : nullptr;
    if (failed(addInput(net.input(i), known, loc)))
      return failure();
  }
  return success();
}

FailureOr<StringRef> Network::define(StringRef name, const caffe::LayerParameter &layer, Location loc) {
  Blob &blob = blobs[name];
  if (!blob.value.empty() && !llvm::is_contained(layer.bottom(), name))
    return emitError(loc) << "must make a blob that no layer before it makes, but '" << name << "' is one";
  ++blob.defined;
  bool hasName = blob.defined == blob.definitions && !blob.isInput;
  blob.value = hasName ? names.save(name) : names.save(name + "#" + Twine(blob.defined));
  return blob.value;
}

LogicalResult Network::addLayer(const caffe::LayerParameter &layer, Location loc) {
  StringRef type = layer.type();
  if (type == "Input") {
    const auto &shapes = layer.input_param().shape();
    if (shapes.size() > 1 && shapes.size() != layer.top_size())
      return emitError(loc) << "must have one shape, or one for each of its " << layer.top_size() << " tops, but has "
                            << shapes.size();
    for (int i = 0; i < layer.top_size(); ++i)
      if (failed(addInput(layer.top(i), shapes.empty() ? nullptr : &shapes[shapes.size() == 1 ? 0 : i], loc)))
        return failure();
    return success();
  }
  if (isDataSource(type))
    return emitError(loc) << "reads what a network is trained with, by the layer '" << type
                          << "'; write a layer of type 'Input' with the shape in its place";
  NetworkLayer found{&layer, type, layerNames[layer.name()]++, {}, {}};
  if (type == "SoftmaxWithLoss")
    found.type = "Softmax";
  for (const std::string &bottom : layer.bottom()) {
    StringRef value = blobs[bottom].value;
    if (value.empty())
      return emitError(loc) << "reads '" << bottom << "', which is no input and made by no layer before it";
    found.operands.push_back(value);
  }
  if (layer.type() == "SoftmaxWithLoss")
    found.operands.truncate(1);
  for (const std::string &top : layer.top()) {
    FailureOr<StringRef> value = define(top, layer, loc);
    if (failed(value))
      return failure();
    found.results.push_back(*value);
  }
  if (!isRepeated(type) || found.operands.size() < 2) {
    layers.push_back(std::move(found));
    return success();
  }
  if (found.operands.size() != found.results.size())
    return emitError(loc) << "must have as many tops as bottoms, which are " << found.operands.size() << ", but has "
                          << found.results.size();
  for (auto [operand, result] : llvm::zip(found.operands, found.results))
    layers.push_back({&layer, type, found.occurrence, {operand}, {result}});
  return success();
}

/// A parameter that is not known may change what its layer means. Other fields are training's, or of layers that are not
/// known.
static LogicalResult reportUnknown(ArrayRef<UnknownField> unknown, Location loc) {
  for (const UnknownField &field : unknown) {
    StringRef message = StringRef(field.message).rsplit('.').second;
    if (message.ends_with("Parameter") && message != "NetParameter" && !message.ends_with("LayerParameter"))
      return emitError(loc) << "line " << field.line << ": " << message << " has no field '" << field.field
                            << "' that is known; write the network without it";
  }
  return success();
}

void Network::countDefinitions() {
  for (const caffe::LayerParameter &layer : net.layer())
    if (isComputed(layer) && layer.type() != "Input")
      for (const std::string &top : layer.top())
        ++blobs[top].definitions;
}

/// What a layer makes and no layer reads.
void Network::findOutputs() {
  llvm::StringSet<> read;
  for (const NetworkLayer &layer : layers)
    for (StringRef operand : layer.operands)
      read.insert(operand);
  for (const NetworkLayer &layer : layers)
    for (StringRef result : layer.results)
      if (!read.contains(result))
        outputs.push_back(result);
}

LogicalResult Network::read(StringRef text, Location loc) {
  std::vector<UnknownField> unknown;
  FailureOr<FileBytes> bytes = encodeProtoText(text, net, "a Caffe network", loc, &unknown);
  if (failed(bytes) || failed(reportUnknown(unknown, loc)))
    return failure();
  if (!net.ParsePartialFromArray((*bytes)->getBufferStart(), static_cast<int>((*bytes)->getBufferSize())))
    return emitError(loc) << "not a Caffe network; the file is damaged";
  if (failed(upgrade(loc)))
    return failure();
  countDefinitions();
  if (failed(addDeclaredInputs(loc)))
    return failure();
  for (const caffe::LayerParameter &layer : net.layer())
    if (isComputed(layer) && failed(addLayer(layer, locate(layer, loc))))
      return failure();
  findOutputs();
  if (outputs.empty())
    return emitError(loc) << "must have a layer whose top no layer reads, but has none";
  return success();
}

} // namespace nacre::importer::caffe_format
