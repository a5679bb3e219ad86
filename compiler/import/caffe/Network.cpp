// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caffe network as its text describes it, after checks. First, the layers to compute are selected. Then inputs, layers
// and outputs are added, with a unique name for each value.

#include "compiler/import/caffe/Network.h"

#include "compiler/import/caffe/OldForms.h"
#include "compiler/import/options/Limits.h"
#include "compiler/import/protobuf/ProtoText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Layers that are computed
//===----------------------------------------------------------------------===//

/// True if the rule matches the state of the network: the phase TEST, with a level and stages.
bool meets(int level, const llvm::StringSet<> &stages, const caffe::NetStateRule &rule) {
  auto hasStage = [&](const std::string &stage) { return stages.contains(stage); };
  return (!rule.has_phase() || rule.phase() == caffe::TEST) && (!rule.has_min_level() || level >= rule.min_level()) &&
         (!rule.has_max_level() || level <= rule.max_level()) && llvm::all_of(rule.stage(), hasStage) &&
         llvm::none_of(rule.not_stage(), hasStage);
}

/// True for layers that only serve training, or that only observe it.
bool isForTraining(StringRef type) {
  return (type.ends_with("Loss") && type != "SoftmaxWithLoss") || type == "Accuracy" || type == "HDF5Output";
}

/// True if a layer of this type has one top for each bottom, with the same weights.
bool isRepeated(StringRef type) { return type == "Convolution" || type == "Deconvolution"; }

} // namespace

bool isDataSource(StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases("Data", "ImageData", "MemoryData", "DummyData", "WindowData", "HDF5Data", "AnnotatedData", true)
      .Default(false);
}

bool Network::isComputed(const caffe::LayerParameter &layer) const {
  auto applies = [&](const caffe::NetStateRule &rule) { return meets(net.state().level(), stages, rule); };
  if (!layer.include().empty() && llvm::none_of(layer.include(), applies))
    return false;
  return llvm::none_of(layer.exclude(), applies) && !isForTraining(layer.type());
}

//===----------------------------------------------------------------------===//
// 2. Values
//===----------------------------------------------------------------------===//

static Location locate(const caffe::LayerParameter &layer, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), layer.name()), loc);
}

LogicalResult Network::addInput(StringRef name, const caffe::BlobShape *shape, Location loc) {
  Blob &blob = blobs[name];
  if (!blob.value.empty() || name.empty())
    return emitError(loc) << "an input must have a unique name, but is called '" << name << "'";
  NetworkInput input{names.save(name), {}};
  if (shape) {
    if (shape->dim_size() > maxRank || llvm::any_of(shape->dim(), [](int64_t dim) { return dim < 0; }))
      return emitError(loc) << "input '" << name << "' must have at most " << maxRank
                            << " non-negative dimensions, but does not";
    input.shape.emplace(shape->dim().begin(), shape->dim().end());
  }
  blob.value = input.name;
  blob.isInput = true;
  inputs.push_back(std::move(input));
  return success();
}

/// Adds the inputs that the network declares before its layers. Each has a shape, or four values of one list.
LogicalResult Network::addDeclaredInputs(Location loc) {
  constexpr int legacyRank = 4;
  if (net.input_shape_size() && net.input_shape_size() != net.input_size())
    return emitError(loc) << "must have one 'input_shape' field for each input, of which there are " << net.input_size()
                          << ", but has " << net.input_shape_size();
  if (net.input_dim_size() && net.input_dim_size() != legacyRank * net.input_size())
    return emitError(loc) << "must have four 'input_dim' fields for each of its " << net.input_size()
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
  if (name.empty())
    return emitError(loc) << "must have names for all tops, but one has none";
  Blob &blob = blobs[name];
  if (!blob.value.empty() && !llvm::is_contained(layer.bottom(), name))
    return emitError(loc) << "must not produce a blob that an earlier layer produces, but '" << name << "' is one";
  ++blob.defined;
  bool hasName = blob.defined == blob.definitions && !blob.isInput;
  blob.value = hasName ? names.save(name) : names.save(name + "#" + Twine(blob.defined));
  return blob.value;
}

LogicalResult Network::addLayer(const caffe::LayerParameter &layer, Location loc) {
  StringRef type = layer.type();
  if (type.empty())
    return emitError(loc) << "must have a type, but has none";
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
  if (type == "Silence") {
    for (const std::string &bottom : layer.bottom())
      silenced.insert(blobs[bottom].value);
    return success();
  }
  NetworkLayer found{&layer, type, layerNames[layer.name()]++, {}, {}};
  if (type == "SoftmaxWithLoss")
    found.type = "Softmax";
  for (const std::string &bottom : layer.bottom()) {
    StringRef value = blobs[bottom].value;
    if (value.empty())
      return emitError(loc) << "reads '" << bottom << "', which is neither an input nor produced by an earlier layer";
    found.operands.push_back(value);
  }
  if (layer.type() == "SoftmaxWithLoss" && found.operands.size() > 1)
    found.operands.truncate(1); // removes the labels
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
    return emitError(loc) << "must have as many tops as bottoms, of which there are " << found.operands.size()
                          << ", but has " << found.results.size();
  for (auto [operand, result] : llvm::zip(found.operands, found.results))
    layers.push_back({&layer, type, found.occurrence, {operand}, {result}});
  return success();
}

/// Parameters may change the meaning of their layer, so their fields must be known. Other fields are for training, or
/// for unknown layers.
static bool mustKnowFields(StringRef message) {
  return message.ends_with("Parameter") && message != "NetParameter" && message != "SaveOutputParameter" &&
         !message.ends_with("LayerParameter");
}

void Network::countDefinitions() {
  for (const caffe::LayerParameter &layer : net.layer())
    if (isComputed(layer) && layer.type() != "Input")
      for (const std::string &top : layer.top())
        ++blobs[top].definitions;
}

/// Finds the outputs: tops that no layer reads. Layers that only silence their bottoms count as readers.
void Network::findOutputs() {
  llvm::StringSet<> read = silenced;
  for (const NetworkLayer &layer : layers)
    for (StringRef operand : layer.operands)
      read.insert(operand);
  for (const NetworkLayer &layer : layers)
    for (StringRef result : layer.results)
      if (!read.contains(result) && !isDataSource(layer.type))
        outputs.push_back(result);
}

StringRef Network::findBlob(StringRef name) const {
  if (blobs.contains(name))
    return name;
  for (const NetworkLayer &layer : layers)
    if (layer.proto->name() == name && layer.proto->top_size() == 1)
      return layer.results.front();
  return name;
}

LogicalResult Network::read(StringRef text, Location loc) {
  constexpr ProtoTextRules rules = {/*messageCost=*/2048, mustKnowFields};
  FailureOr<FileBytes> bytes = encodeProtoText(text, net, "a Caffe network", loc, rules);
  if (failed(bytes))
    return failure();
  if (!net.ParsePartialFromArray((*bytes)->getBufferStart(), static_cast<int>((*bytes)->getBufferSize())))
    return emitError(loc) << "not a Caffe network; the file is damaged";
  if (failed(upgradeLayers(net, loc)))
    return failure();
  for (const std::string &stage : net.state().stage())
    stages.insert(stage);
  countDefinitions();
  if (failed(addDeclaredInputs(loc)))
    return failure();
  for (const caffe::LayerParameter &layer : net.layer())
    if (isComputed(layer) && failed(addLayer(layer, locate(layer, loc))))
      return failure();
  findOutputs();
  if (outputs.empty())
    return emitError(loc) << "must have an output, a top that no layer reads, but has none";
  return success();
}

} // namespace nacre::importer::caffe_format
