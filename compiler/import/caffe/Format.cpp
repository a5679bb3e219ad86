// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caffe, one of the supported formats.
//
// The view of a checked network also has its weights. Blobs of a layer are operands after its bottoms. The part that
// --input and --output select is checked separately.

#include "compiler/import/caffe/Format.h"

#include "compiler/import/caffe/Attributes.h"
#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/caffe/Network.h"
#include "compiler/import/caffe/Weights.h"
#include "compiler/import/model/CutModel.h"
#include "compiler/import/model/FileKind.h"
#include "compiler/import/protobuf/ProtoText.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Files
//===----------------------------------------------------------------------===//

/// True if the file is the text of a network, which its first field decides.
bool claims(const ModelFile &file) {
  return isText(file.getBuffer()) && llvm::StringSwitch<bool>(getFirstField(file.getBuffer()))
                                         .Cases("name", "layer", "layers", true)
                                         .Cases("input", "input_shape", "input_dim", "state", "force_backward", true)
                                         .Default(false);
}

/// Returns the path of the weights. It is the path that the user sets, or the network's path with another extension.
/// Returns an empty path if there is no such file.
llvm::SmallString<256> findWeights(const ModelFile &file, const ImportOptions &options) {
  llvm::SmallString<256> path(options.weights);
  if (!path.empty() || file.folder.empty())
    return path;
  path = file.folder;
  llvm::sys::path::append(path, file.name);
  llvm::sys::path::replace_extension(path, "caffemodel");
  if (!llvm::sys::fs::exists(path))
    path.clear();
  return path;
}

/// Returns null if the network has no weights.
FailureOr<std::unique_ptr<Weights>> openWeights(const ModelFile &file, const ImportOptions &options, Location loc) {
  llvm::SmallString<256> path = findWeights(file, options);
  if (path.empty())
    return std::unique_ptr<Weights>();
  FailureOr<FileBytes> bytes = mapFile(path, loc);
  if (failed(bytes))
    return failure();
  auto weights = std::make_unique<Weights>(std::move(*bytes), llvm::sys::path::filename(path), loc);
  if (failed(weights->read()))
    return failure();
  return weights;
}

//===----------------------------------------------------------------------===//
// 2. The view
//===----------------------------------------------------------------------===//

class CaffeView : public ModelView, public GraphView {
public:
  /// Creates a view. If `seed` is set, layers without weights get random weights.
  CaffeView(std::unique_ptr<Network> network, std::unique_ptr<Weights> weights, std::optional<uint32_t> seed,
            Location loc);

  GraphView &getGraph() override { return *this; }
  SmallVector<GraphValue> getInputs() const override;
  SmallVector<GraphValue> getOutputs() const override;
  size_t getNumNodes() const override { return network->getLayers().size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override;
  bool hasConstant(StringRef name) const override { return blobs.contains(name); }
  FailureOr<ElementsAttr> readConstant(StringRef name) override;
  std::string normalizeName(StringRef name) const override { return network->findBlob(name).str(); }

private:
  Location locate(const NetworkLayer &layer) const { return getLocation(layer.proto->name()); }

  struct Blob {
    StringRef layer;
    size_t occurrence, index;
  };

  bool isDrawn(size_t layer) const {
    return seed && blobNames[layer].empty() && hasBlobs(network->getLayers()[layer].type);
  }

  std::unique_ptr<Network> network;
  std::unique_ptr<Weights> weights;
  std::optional<uint32_t> seed;
  llvm::StringMap<Blob> blobs;
  std::vector<SmallVector<StringRef, 3>> blobNames; ///< names of the blobs of each layer
};

CaffeView::CaffeView(std::unique_ptr<Network> net, std::unique_ptr<Weights> read, std::optional<uint32_t> seed,
                     Location loc)
    : GraphView(loc), network(std::move(net)), weights(std::move(read)), seed(seed) {
  for (const NetworkLayer &layer : network->getLayers()) {
    StringRef name = layer.proto->name();
    SmallVector<StringRef, 3> &names = blobNames.emplace_back();
    for (size_t index = 0, count = weights ? weights->countBlobs(name, layer.occurrence) : 0; index < count; ++index) {
      // Keys contain control characters, so that no blob of the network has the same name.
      std::string key = (name + "\1" + Twine(layer.occurrence) + "\1" + Twine(index)).str();
      names.push_back(blobs.insert({key, {name, layer.occurrence, index}}).first->getKey());
    }
  }
  size_t drawn = llvm::count_if(llvm::seq<size_t>(0, blobNames.size()), [&](size_t layer) { return isDrawn(layer); });
  if (drawn > 0)
    emitWarning(loc) << "the weights of " << drawn << (drawn == 1 ? " layer are" : " layers are")
                     << " random (--random-weights); the network's outputs are meaningless";
}

SmallVector<GraphValue> CaffeView::getInputs() const {
  Type f32 = Float32Type::get(getLocation().getContext());
  return llvm::map_to_vector(network->getInputs(), [&](const NetworkInput &input) {
    GraphValue value{input.name, {f32, {}, std::nullopt}};
    if (input.shape)
      value.type.shape = llvm::map_to_vector(*input.shape, [](int64_t size) { return Dimension{size, {}}; });
    return value;
  });
}

SmallVector<GraphValue> CaffeView::getOutputs() const {
  return llvm::map_to_vector(network->getOutputs(), [](StringRef name) { return GraphValue{name, {}}; });
}

GraphNode CaffeView::getNode(size_t index) const {
  const NetworkLayer &layer = network->getLayers()[index];
  GraphNode node{layer.type, {}, &getOperators(), /*version=*/0, locate(layer), layer.operands, layer.results};
  node.operands.append(blobNames[index].begin(), blobNames[index].end());
  return node;
}

FailureOr<SmallVector<NamedAttribute>> CaffeView::readAttributes(size_t index) {
  const NetworkLayer &layer = network->getLayers()[index];
  Builder builder(getLocation().getContext());
  SmallVector<NamedAttribute> attributes = readParameters(*layer.proto, layer.type, builder.getContext());
  if (hasBlobs(layer.type))
    attributes.push_back(builder.getNamedAttr(bottomCount, builder.getI64IntegerAttr(int64_t(layer.operands.size()))));
  if (isDrawn(index)) {
    // The stream depends on the name of the layer, so that its weights do not change if another layer is added.
    auto stream = static_cast<uint32_t>(llvm::xxh3_64bits(layer.proto->name()) + (uint64_t(layer.occurrence) << 16));
    attributes.push_back(
        builder.getNamedAttr(randomKey, builder.getDenseI64ArrayAttr({int64_t(*seed), int64_t(stream)})));
  }
  return attributes;
}

FailureOr<ElementsAttr> CaffeView::readConstant(StringRef name) {
  Blob blob = blobs.lookup(name);
  return weights->readBlob(blob.layer, blob.occurrence, blob.index);
}

//===----------------------------------------------------------------------===//
// 3. The selected part
//===----------------------------------------------------------------------===//

/// Reports an error if the part reads training data.
LogicalResult checkSources(const GraphView &part) {
  for (size_t index = 0; index < part.getNumNodes(); ++index) {
    GraphNode node = part.getNode(index);
    if (isDataSource(node.op))
      return emitError(node.loc)
             << "reads training data through layer '" << node.op
             << "'; replace it by a layer of type 'Input' with the shape, or name its top with --input";
  }
  return success();
}

FailureOr<std::unique_ptr<ModelView>> cutNetwork(std::unique_ptr<ModelView> network, const ImportOptions &options) {
  ImportOptions named = options;
  for (std::vector<std::string> *names : {&named.inputs, &named.outputs})
    for (std::string &name : *names)
      name = network->normalizeName(name);
  FailureOr<std::unique_ptr<ModelView>> part = cutModel(std::move(network), named);
  if (failed(part) || failed(checkSources((*part)->getGraph())))
    return failure();
  return part;
}

SmallVector<OperatorSet> getOperatorSets() { return {{"", &getOperators()}}; }

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, const ImportOptions &options, MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  auto network = std::make_unique<Network>();
  if (failed(network->read(file.getBuffer(), loc)))
    return failure();
  FailureOr<std::unique_ptr<Weights>> weights = openWeights(file, options, loc);
  if (failed(weights))
    return failure();
  return cutNetwork(std::make_unique<CaffeView>(std::move(network), std::move(*weights), options.randomWeights, loc),
                    options);
}

} // namespace

const Format format = {"a Caffe network",       "Caffe", claims, read, getOperatorSets,
                       /*hasSignatures=*/false,
                       /*filesOfFolder=*/{},
                       /*hasWeightsApart=*/true};

} // namespace nacre::importer::caffe_format
