// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX, one of the supported formats: recognizes ONNX files, and gives the importer a view of a checked model.

#include "compiler/import/onnx/Format.h"

#include "compiler/import/model/CutModel.h"
#include "compiler/import/model/FileKind.h"
#include "compiler/import/onnx/Domains.h"
#include "compiler/import/onnx/Reader.h"
#include "compiler/import/onnx/TrainedFile.h"
#include "compiler/import/onnx/WeightNames.h"
#include "compiler/import/onnx/graph/DomainNames.h"
#include "compiler/import/onnx/training/GradientGraph.h"
#include "compiler/import/onnx/training/TrainingInfo.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Files
//===----------------------------------------------------------------------===//

/// True if the fields of a ModelProto lead to its graph, or to the end of a truncated file. Other protobuf files do not
/// have these fields, or begin with other fields.
bool claims(const ModelFile &file) {
  StringRef rest = file.getBuffer();
  if (isText(rest))
    return false;
  while (!rest.empty()) {
    uint64_t tag, value;
    if (!takeVarint(rest, tag))
      return false;
    uint64_t field = tag >> 3;
    if (field == 7)
      return (tag & 7) == 2;
    bool isNumber = field == 1 || field == 5;
    bool isKnown = field == 14 || field == 20 || field == 25 || (field >= 1 && field <= 8);
    if (!isKnown || (tag & 7) != (isNumber ? 0 : 2))
      return false;
    if (!takeVarint(rest, value))
      return true;
    if (!isNumber && value > rest.size())
      return true;
    rest = rest.drop_front(isNumber ? 0 : value);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// 2. The view
//===----------------------------------------------------------------------===//

/// Returns the kind of the attribute. In files that are older than the field `type`, the field that is set implies the
/// kind.
onnx::AttributeProto::AttributeType getKind(const onnx::AttributeProto &attribute) {
  using Proto = onnx::AttributeProto;
  if (attribute.has_type())
    return attribute.type();
  return attribute.has_f()          ? Proto::FLOAT
         : attribute.has_i()        ? Proto::INT
         : attribute.has_s()        ? Proto::STRING
         : attribute.has_t()        ? Proto::TENSOR
         : attribute.floats_size()  ? Proto::FLOATS
         : attribute.ints_size()    ? Proto::INTS
         : attribute.strings_size() ? Proto::STRINGS
                                    : Proto::UNDEFINED;
}

DeclaredType readType(const onnx::TypeProto &proto, MLIRContext *context) {
  DeclaredType type;
  if (proto.has_optional_type()) // apps that call the model set its optional inputs
    return readType(proto.optional_type().elem_type(), context);
  if (!proto.has_tensor_type())
    return type;
  const onnx::TypeProto::Tensor &tensor = proto.tensor_type();
  type.elementType = fromStoredDataType(tensor.elem_type(), context);
  if (!type.elementType && tensor.elem_type() != onnx::TensorProto::UNDEFINED)
    type.name = getElementTypeName(tensor.elem_type());
  if (!tensor.has_shape())
    return type;
  type.shape.emplace();
  for (const onnx::TensorShapeProto::Dimension &dim : tensor.shape().dim()) {
    bool isKnown = dim.has_dim_value() && dim.dim_value() >= 0;
    type.shape->push_back({isKnown ? dim.dim_value() : ShapedType::kDynamic, dim.dim_param()});
  }
  return type;
}

using Attributes = llvm::StringMap<const onnx::AttributeProto *>;

/// View of a graph. The body of a function has one view per call, with the attributes of the call.
class OnnxGraph : public GraphView {
public:
  OnnxGraph(OnnxModel &model, const CheckedGraph &graph, std::shared_ptr<const Attributes> given = nullptr,
            const onnx::FunctionProto *function = nullptr, std::string prefix = "")
      : GraphView(model.getLocation()), model(model), graph(graph), given(std::move(given)), function(function),
        prefix(std::move(prefix)) {}

  SmallVector<GraphValue> getInputs() const override;
  SmallVector<GraphValue> getOutputs() const override;
  size_t getNumNodes() const override { return graph.getNodes().size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override;
  std::unique_ptr<GraphView> openGraph(size_t node, StringRef attribute) override;
  std::unique_ptr<GraphView> openFunction(size_t node) override;
  bool hasConstant(StringRef name) const override {
    return graph.findInitializer(name) || graph.findSparse(name) || renamed.contains(name);
  }
  FailureOr<ElementsAttr> readConstant(StringRef name) override;

  /// Uses the names that weights have in training.
  void takeWeightNames() { renamed = findRenamed(*graph.getGraph()); }

private:
  template <typename Protos> SmallVector<GraphValue> read(const Protos &protos) const {
    return llvm::map_to_vector(protos, [&](const onnx::ValueInfoProto &proto) {
      return GraphValue{proto.name(), readType(proto.type(), getLocation().getContext())};
    });
  }
  Location locate(const CheckedNode &node) const;
  const onnx::AttributeProto *resolve(const onnx::AttributeProto &attribute) const;
  FailureOr<Attribute> readAttribute(const onnx::AttributeProto &attribute, StringRef name, Location loc);

  OnnxModel &model;
  const CheckedGraph &graph;
  std::shared_ptr<const Attributes> given;            ///< attributes of the call, in a function
  const onnx::FunctionProto *function;                ///< function that contains the graph; null for the model's graph
  std::string prefix;                                 ///< prefix of the names of nodes, in a function
  llvm::StringMap<const onnx::TensorProto *> renamed; ///< initializers by their names in training
};

SmallVector<GraphValue> OnnxGraph::getInputs() const {
  if (const onnx::FunctionProto *body = graph.getFunction())
    return llvm::map_to_vector(body->input(), [](StringRef name) { return GraphValue{name, {}}; });
  SmallVector<GraphValue> inputs = read(graph.getGraph()->input());
  for (GraphValue &input : inputs)
    input.hasDefault = hasConstant(input.name);
  return inputs;
}

SmallVector<GraphValue> OnnxGraph::getOutputs() const {
  if (const onnx::FunctionProto *body = graph.getFunction())
    return llvm::map_to_vector(body->output(), [](StringRef name) { return GraphValue{name, {}}; });
  return read(graph.getGraph()->output());
}

Location OnnxGraph::locate(const CheckedNode &node) const {
  Location loc = graph.getLocation(node);
  return prefix.empty() ? loc : getLocation(prefix + cast<NameLoc>(loc).getName().str());
}

GraphNode OnnxGraph::getNode(size_t index) const {
  const CheckedNode &checked = graph.getNodes()[index];
  const onnx::NodeProto &proto = *checked.proto;
  GraphNode node{proto.op_type(),
                 {},
                 &getOperators(proto.domain()),
                 model.getOpsetVersion(proto.domain(), function),
                 locate(checked),
                 llvm::to_vector_of<StringRef>(proto.input()),
                 llvm::to_vector_of<StringRef>(proto.output())};
  if (!isStandardDomain(proto.domain()))
    node.domain = proto.domain();
  for (auto [index, operand] : llvm::enumerate(node.operands))
    if (auto name = renamed.find(renamed.empty() ? "" : nameWeight(proto, index)); name != renamed.end())
      operand = name->first();
  for (const NestedGraph &nested : checked.graphs)
    node.graphs.push_back(nested.attribute);
  node.captures = checked.getCaptures();
  if (checked.differentiated) {
    node.graphs.push_back("y");
    node.captures.push_back(checked.differentiated->y);
  }
  return node;
}

std::unique_ptr<GraphView> OnnxGraph::openGraph(size_t node, StringRef attribute) {
  for (const NestedGraph &nested : graph.getNodes()[node].graphs)
    if (nested.attribute == attribute)
      return std::make_unique<OnnxGraph>(model, *nested.graph, given, function, prefix);
  const std::optional<Differentiated> &part = graph.getNodes()[node].differentiated;
  if (part && attribute == "y")
    return std::make_unique<GradientGraph>(std::make_unique<OnnxGraph>(*this),
                                           graph.findProducers(part->y, part->arguments), part->arguments, part->y);
  return nullptr;
}

std::unique_ptr<GraphView> OnnxGraph::openFunction(size_t node) {
  const CheckedNode &call = graph.getNodes()[node];
  const CheckedGraph *body = model.findFunction(*call.proto);
  if (!body)
    return nullptr;
  auto attributes = std::make_shared<Attributes>();
  for (const onnx::AttributeProto &missing : body->getFunction()->attribute_proto())
    (*attributes)[missing.name()] = &missing;
  for (const onnx::AttributeProto &attribute : call.proto->attribute())
    if (const onnx::AttributeProto *value = resolve(attribute))
      (*attributes)[attribute.name()] = value;
  return std::make_unique<OnnxGraph>(model, *body, std::move(attributes), body->getFunction(),
                                     cast<NameLoc>(locate(call)).getName().str() + "/");
}

FailureOr<ElementsAttr> OnnxGraph::readConstant(StringRef name) {
  if (const onnx::SparseTensorProto *sparse = graph.findSparse(name))
    return model.readConstant(*sparse, getLocation(name));
  const onnx::TensorProto *again = renamed.lookup(name);
  const onnx::TensorProto *initializer = again ? again : graph.findInitializer(name);
  assert(initializer && "the reader has checked that every value is defined");
  return model.readConstant(*initializer, name, getLocation(name));
}

/// Returns the attribute itself, or the attribute of the call to which it refers. Null if the call does not pass it.
const onnx::AttributeProto *OnnxGraph::resolve(const onnx::AttributeProto &attribute) const {
  if (attribute.ref_attr_name().empty())
    return &attribute;
  return given ? given->lookup(attribute.ref_attr_name()) : nullptr;
}

FailureOr<Attribute> OnnxGraph::readAttribute(const onnx::AttributeProto &attribute, StringRef name, Location loc) {
  Builder builder(loc.getContext());
  switch (getKind(attribute)) {
  case onnx::AttributeProto::INT:
    return Attribute(builder.getI64IntegerAttr(attribute.i()));
  case onnx::AttributeProto::FLOAT:
    return Attribute(builder.getF32FloatAttr(attribute.f()));
  case onnx::AttributeProto::STRING:
    return Attribute(builder.getStringAttr(attribute.s()));
  case onnx::AttributeProto::INTS:
    return Attribute(builder.getDenseI64ArrayAttr(ArrayRef(attribute.ints().data(), attribute.ints_size())));
  case onnx::AttributeProto::FLOATS:
    return Attribute(builder.getDenseF32ArrayAttr(ArrayRef(attribute.floats().data(), attribute.floats_size())));
  case onnx::AttributeProto::STRINGS:
    return Attribute(builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(attribute.strings())));
  case onnx::AttributeProto::TENSOR: {
    FailureOr<ElementsAttr> value =
        model.readConstant(attribute.t(), attribute.t().name().empty() ? name : StringRef(attribute.t().name()), loc);
    if (failed(value))
      return failure();
    return Attribute(*value);
  }
  case onnx::AttributeProto::SPARSE_TENSOR: {
    FailureOr<ElementsAttr> value = model.readConstant(attribute.sparse_tensor(), loc);
    if (failed(value))
      return failure();
    return Attribute(*value);
  }
  default:
    return emitError(loc) << "attribute '" << name << "' must be a number, a string, a tensor or a list of those";
  }
}

FailureOr<SmallVector<NamedAttribute>> OnnxGraph::readAttributes(size_t node) {
  const CheckedNode &checked = graph.getNodes()[node];
  Location loc = locate(checked);
  SmallVector<NamedAttribute> result;
  llvm::StringSet<> names;
  // Before version 6, operators had this hint about memory.
  bool hasHints = isStandardDomain(checked.proto->domain()) && model.getOpsetVersion("", function) < 6;
  for (const onnx::AttributeProto &attribute : checked.proto->attribute()) {
    if (hasHints && attribute.name() == "consumed_inputs")
      continue;
    if (!names.insert(attribute.name()).second || attribute.name().empty())
      return emitError(loc) << "attribute '" << attribute.name() << "' must be set once and have a name";
    const onnx::AttributeProto *given = resolve(attribute);
    if (!given || given->has_g())
      continue;
    FailureOr<Attribute> value = readAttribute(*given, attribute.name(), loc);
    if (failed(value))
      return failure();
    result.emplace_back(StringAttr::get(loc.getContext(), attribute.name()), *value);
  }
  return result;
}

class OnnxView : public ModelView {
public:
  OnnxView(std::unique_ptr<OnnxModel> model, bool isTrained)
      : model(std::move(model)), graph(*this->model, this->model->getGraph()) {
    if (isTrained)
      graph.takeWeightNames();
  }

  GraphView &getGraph() override { return trained ? static_cast<GraphView &>(*trained) : graph; }
  SmallVector<ModelEntry> getEntries() override {
    return step ? SmallVector<ModelEntry>{{"", &*trained}, {"train", &*step}} : ModelView::getEntries();
  }

  /// Adds the entry `train` if the model describes its training.
  LogicalResult addTraining() {
    FailureOr<std::unique_ptr<TrainingInfo>> read = readTrainingInfo(model->getProto(), model->getLocation());
    if (failed(read) || !*read)
      return success(succeeded(read));
    info = std::move(*read);
    trained = std::make_unique<TrainedGraph>(std::make_unique<OnnxGraph>(graph));
    step = std::make_unique<TrainedGraph>(std::make_unique<OnnxGraph>(*model, *info->graph));
    return success(succeeded(trained->setVariables(*info, model->getGraph(), /*assigns=*/false)) &&
                   succeeded(step->setVariables(*info, model->getGraph(), /*assigns=*/true)));
  }

  bool asksForGradients() const {
    return llvm::any_of(model->getGraph().getNodes(), [](const CheckedNode &node) { return node.differentiated; });
  }

  FailureOr<StoredTensor> readTensorFile(const FileBytes &bytes, Location loc) override {
    OnnxFile file(bytes, /*folder=*/"");
    onnx::TensorProto proto;
    if (failed(file.parseTensor(loc, proto)))
      return failure();
    return file.read(proto, loc);
  }

private:
  std::unique_ptr<OnnxModel> model;
  OnnxGraph graph;
  std::unique_ptr<TrainingInfo> info;
  std::unique_ptr<TrainedGraph> trained, step; ///< views of the two entries of a model that describes its training
};

SmallVector<OperatorSet> getOperatorSets() {
  return llvm::map_to_vector(getDomains(), [](StringRef domain) { return OperatorSet{domain, &getOperators(domain)}; });
}

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, const ImportOptions &options, MLIRContext *context) {
  FailureOr<std::unique_ptr<OnnxModel>> model = OnnxModel::read(file, context);
  if (failed(model))
    return failure();
  Location loc = (*model)->getLocation();
  auto view = std::make_unique<OnnxView>(std::move(*model), options.training.has_value());
  if (!options.inputs.empty() && view->asksForGradients())
    return emitError(loc) << "--input cannot be combined with Gradient nodes; cut the model's file instead";
  if (!options.trainsItself)
    return cutModel(std::move(view), options);
  if (!options.trainsItself->op.empty())
    return emitError(loc) << "--train-op requires a TensorFlow graph; an ONNX model is trained by its training_info";
  if (!options.inputs.empty() || !options.outputs.empty())
    return emitError(loc)
           << "--input and --output cannot be combined with a model's own training_info; pass --loss, or omit them";
  if (failed(view->addTraining()))
    return failure();
  return std::unique_ptr<ModelView>(std::move(view));
}

} // namespace

const Format format = {"an ONNX model",           "ONNX",        claims, read, getOperatorSets,
                       /*hasSignatures=*/false,
                       /*filesOfFolder=*/{},
                       /*hasWeightsApart=*/false, replaceWeights};

} // namespace nacre::importer::onnx_format
