// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CNNdroid, one of the supported formats.
//
// A file of parameters is read once, when a constant needs it. The view consists of layers in a row. Each layer is a
// node that reads the previous layer and its parameters.

#include "compiler/import/cnndroid/Format.h"

#include "compiler/import/cnndroid/Definition.h"
#include "compiler/import/cnndroid/Handlers.h"
#include "compiler/import/cnndroid/Parameters.h"
#include "compiler/import/model/CutModel.h"
#include "compiler/import/model/FileKind.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nacre::importer::cnndroid_format {
namespace {

constexpr StringRef inputName = "data";

//===----------------------------------------------------------------------===//
// 1. Files of parameters
//===----------------------------------------------------------------------===//

class ParameterFiles {
public:
  /// Uses the folder of --weights or, without that option, the folder of the definition. The definition's
  /// `root_directory` is a path on the phone.
  ParameterFiles(const ModelFile &file, const ImportOptions &options)
      : folder(options.weights.empty() ? file.folder : options.weights),
        folderName(options.weights.empty() ? "the definition's folder" : "the folder of --weights") {}

  /// Returns the parameters of a layer. Emits errors at `loc`, the location of the layer.
  FailureOr<ArrayRef<StoredTensor>> read(const Layer &layer, Location loc);

private:
  std::string folder;
  StringRef folderName;
  llvm::StringMap<SmallVector<StoredTensor, 2>> known; ///< parameters by layer
};

FailureOr<ArrayRef<StoredTensor>> ParameterFiles::read(const Layer &layer, Location loc) {
  auto found = known.find(layer.name);
  if (found != known.end())
    return ArrayRef<StoredTensor>(found->second);
  StringRef name = layer.parametersFile;
  if (name.empty())
    return emitError(loc) << "must have the key 'parameters_file'";
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  if (!folder.empty() && !llvm::sys::fs::exists(path))
    return emitError(loc) << "must have its parameters in '" << path
                          << "', which does not exist; pass the folder of the parameters files with --weights";
  FailureOr<FileBytes> bytes = mapFileInside(folder, name, "'parameters_file'", folderName, loc);
  if (failed(bytes))
    return failure();
  llvm::Expected<SmallVector<StoredTensor, 2>> parameters =
      readParameters(layer.type, (*bytes)->getBuffer(), loc.getContext());
  if (!parameters)
    return emitError(loc) << "'" << name << "': " << llvm::toString(parameters.takeError());
  return ArrayRef<StoredTensor>(known.insert({layer.name, std::move(*parameters)}).first->second);
}

//===----------------------------------------------------------------------===//
// 2. The view
//===----------------------------------------------------------------------===//

class CnndroidView : public ModelView, public GraphView {
public:
  CnndroidView(FileBytes text, Definition definition, ParameterFiles files, Location loc)
      : GraphView(loc), text(std::move(text)), definition(std::move(definition)), files(std::move(files)) {}

  /// Checks the names, and derives the number of channels of the input from the first weights.
  LogicalResult prepare();

  GraphView &getGraph() override { return *this; }
  SmallVector<GraphValue> getInputs() const override;
  SmallVector<GraphValue> getOutputs() const override { return {{definition.layers.back().name, {}}}; }
  size_t getNumNodes() const override { return definition.layers.size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override;
  bool hasConstant(StringRef name) const override { return parameters.contains(name); }
  FailureOr<ElementsAttr> readConstant(StringRef name) override;
  std::optional<MemoryCap> getMemoryCap() const override {
    if (!definition.allocatedRam)
      return std::nullopt;
    return MemoryCap{*definition.allocatedRam << 20, "allocated_ram"};
  }

private:
  struct Parameter {
    const Layer *layer;
    size_t index; ///< index in its file
  };

  LogicalResult addName(StringRef name);
  LogicalResult readChannels();

  FileBytes text; ///< memory of keys and values, which are views of it
  Definition definition;
  ParameterFiles files;
  std::optional<int64_t> channels;       ///< number of channels of the input; `nullopt` if it is unknown
  llvm::StringSet<> names;               ///< names of all values
  llvm::StringMap<Parameter> parameters; ///< parameters by name
};

LogicalResult CnndroidView::addName(StringRef name) {
  if (names.insert(name).second)
    return success();
  return emitError(getLocation(name))
         << "two values would have this name; give each layer a name of its own, other than '" << inputName
         << "', the name of the input";
}

/// Reads the number of channels from the weights of the first convolution, unless an earlier layer changes the number.
LogicalResult CnndroidView::readChannels() {
  const auto first = llvm::find_if(definition.layers, [](const Layer &layer) {
    return !llvm::is_contained({"LRN", "Pooling", "ReLU"}, layer.type);
  });
  if (first == definition.layers.end() || first->type != "Convolution")
    return success();
  FailureOr<ArrayRef<StoredTensor>> read = files.read(*first, getLocation(first->name));
  if (failed(read))
    return failure();
  int64_t groups = 1;
  for (const Entry &entry : first->entries)
    if (entry.key.equals_insensitive("group") &&
        (entry.value.getAsInteger(10, groups) || groups < 1 || groups > INT32_MAX))
      return success(); // the handler reports the error
  channels = read->front().type.getDimSize(1) * groups;
  return success();
}

LogicalResult CnndroidView::prepare() {
  if (failed(addName(inputName)))
    return failure();
  for (const Layer &layer : definition.layers) {
    if (failed(addName(layer.name)))
      return failure();
    for (auto [index, word] : llvm::enumerate(getParameterNames(layer.type))) {
      const std::string name = layer.name + "." + word.str();
      if (failed(addName(name)))
        return failure();
      parameters[name] = {&layer, index};
    }
  }
  return readChannels();
}

SmallVector<GraphValue> CnndroidView::getInputs() const {
  SmallVector<Dimension> shape = {{ShapedType::kDynamic, "batch"},
                                  {ShapedType::kDynamic, "channels"},
                                  {ShapedType::kDynamic, "height"},
                                  {ShapedType::kDynamic, "width"}};
  if (channels)
    shape[1] = {*channels, {}};
  return {{inputName, {Float32Type::get(getLocation().getContext()), {}, shape}}};
}

GraphNode CnndroidView::getNode(size_t index) const {
  const Layer &layer = definition.layers[index];
  StringRef before = index == 0 ? inputName : StringRef(definition.layers[index - 1].name);
  GraphNode node{layer.type, {}, &getOperators(), /*version=*/0, getLocation(layer.name), {before}, {layer.name}};
  for (StringRef word : getParameterNames(layer.type))
    node.operands.push_back(parameters.find((layer.name + "." + word).str())->getKey());
  return node;
}

/// Reads the attributes. Values of keys that CNNdroid reads as numbers are numbers; other values are texts.
FailureOr<SmallVector<NamedAttribute>> CnndroidView::readAttributes(size_t index) {
  const Layer &layer = definition.layers[index];
  Builder builder(getLocation().getContext());
  SmallVector<NamedAttribute> attributes;
  for (const Entry &entry : layer.entries) {
    const std::string key = entry.key.lower();
    Attribute value = builder.getStringAttr(entry.value);
    int64_t integer = 0;
    double number = 0;
    if (llvm::is_contained({"alpha", "beta"}, key)) {
      if (!entry.value.getAsDouble(number))
        value = builder.getF64FloatAttr(number);
    } else if (!llvm::is_contained({"pool", "norm_region"}, key) && !entry.value.getAsInteger(10, integer)) {
      value = builder.getI64IntegerAttr(integer);
    }
    attributes.push_back(builder.getNamedAttr(key, value));
  }
  if (!layer.parametersFile.empty() && getParameterNames(layer.type).empty())
    return emitError(getLocation(layer.name))
           << "must not have the key 'parameters_file', which layers of type '" << layer.type << "' do not use";
  return attributes;
}

FailureOr<ElementsAttr> CnndroidView::readConstant(StringRef name) {
  Parameter parameter = parameters.lookup(name);
  FailureOr<ArrayRef<StoredTensor>> read = files.read(*parameter.layer, getLocation(parameter.layer->name));
  if (failed(read))
    return failure();
  return makeConstant((*read)[parameter.index], name);
}

//===----------------------------------------------------------------------===//
// 3. The row
//===----------------------------------------------------------------------===//

bool claims(const ModelFile &file) { return isText(file.getBuffer()) && isDefinition(file.getBuffer()); }

SmallVector<OperatorSet> getOperatorSets() { return {{"", &getOperators()}}; }

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, const ImportOptions &options, MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  if (options.randomWeights)
    return emitError(loc)
           << "--random-weights cannot be used with a CNNdroid network, whose parameters files state the sizes of "
              "its layers";
  FailureOr<Definition> definition = readDefinition(file.getBuffer(), loc);
  if (failed(definition))
    return failure();
  auto view = std::make_unique<CnndroidView>(file.bytes, std::move(*definition), ParameterFiles(file, options), loc);
  if (failed(view->prepare()))
    return failure();
  return cutModel(std::move(view), options);
}

} // namespace

const Format format = {"a CNNdroid network",    "CNNdroid", claims, read, getOperatorSets,
                       /*hasSignatures=*/false,
                       /*filesOfFolder=*/{},
                       /*hasWeightsApart=*/true};

} // namespace nacre::importer::cnndroid_format
