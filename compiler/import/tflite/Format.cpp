// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorFlow Lite as an input format of the importer.
//
// How:  1. types and quantizations of tensors, as attributes of the operators that read and compute them,
//       2. the view of a checked model, as the importer walks over it. Operators have no names: each is named after its
//          first result.

#include "compiler/import/tflite/Format.h"

#include "compiler/import/model/CutModel.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/Operators.h"
#include "compiler/import/tflite/Options.h"
#include "compiler/import/tflite/Reader.h"
#include "compiler/import/tflite/TensorFacts.h"
#include "dialects/nn/codes/Quantization.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

class TfliteGraph : public GraphView {
public:
  TfliteGraph(TfliteModel &model, const CheckedGraph &graph)
      : GraphView(model.getLocation()), model(model), graph(graph) {}

  SmallVector<GraphValue> getInputs() const override {
    SmallVector<GraphValue> inputs = read(graph.getInputs());
    addVariables(inputs, /*areInputs=*/true);
    return inputs;
  }
  SmallVector<GraphValue> getOutputs() const override {
    SmallVector<GraphValue> outputs = read(graph.getOutputs());
    addVariables(outputs, /*areInputs=*/false);
    return outputs;
  }
  size_t getNumNodes() const override { return graph.getOperators().size(); }
  GraphNode getNode(size_t index) const override;
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t node) override;
  bool hasConstant(StringRef name) const override;
  FailureOr<ElementsAttr> readConstant(StringRef name) override;
  FailureOr<DictionaryAttr> readQuantization(StringRef name) override;
  std::unique_ptr<GraphView> openGraph(size_t node, StringRef attribute) override;

private:
  SmallVector<GraphValue> read(ArrayRef<GraphPort> ports) const;
  GraphValue declare(const CheckedTensor &tensor, bool isKept) const;
  void addVariables(SmallVectorImpl<GraphValue> &values, bool areInputs) const;
  /// Returns the tensor's shape, in which sizes that depend on the inputs are dynamic. Returns nullopt if the file does
  /// not contain them.
  std::optional<SmallVector<int64_t>> getKnownShape(const CheckedTensor &tensor) const;
  FailureOr<Attribute> readFacts(size_t tensor, Location loc);

  SmallVector<BodyOfOperator, 2> getBodiesOf(size_t node) const {
    const schema::Operator &op = *graph.getOperators()[node];
    return getBodies(model.getBuiltin(op), op);
  }

  TfliteModel &model;
  const CheckedGraph &graph;
  llvm::DenseMap<size_t, Attribute> facts; ///< facts of tensors that were read, by the tensor's index
  size_t scaleBytes = 0;                   ///< size of their scales in bytes
};

//===----------------------------------------------------------------------===//
// 1. Tensors
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> TfliteGraph::getKnownShape(const CheckedTensor &tensor) const {
  const schema::Tensor &table = *tensor.table;
  const bool hasRank = table.has_rank() || !toArray(table.shape()).empty();
  const bool holdsAlways = !model.isOpen() || table.shape_signature() || tensor.state == CheckedTensor::Input;
  if (!hasRank || !holdsAlways)
    return std::nullopt;
  SmallVector<int64_t> shape = tensor.getOpenShape();
  llvm::replace(shape, int64_t(-1), ShapedType::kDynamic);
  return shape;
}

/// Returns a tensor as an input or output. Values that are kept between runs have fixed sizes. An input of unknown
/// shape is a scalar.
GraphValue TfliteGraph::declare(const CheckedTensor &tensor, bool isKept) const {
  GraphValue value;
  value.type.elementType = toElementType(tensor.table->type(), model.getLocation().getContext());
  if (!value.type.elementType)
    value.type.name = getWord(tensor.table->type());
  std::optional<SmallVector<int64_t>> known = getKnownShape(tensor);
  if (isKept || tensor.state == CheckedTensor::Variable || (tensor.state == CheckedTensor::Input && !known))
    known = tensor.getShape();
  if (!known)
    return value;
  value.type.shape.emplace();
  for (auto [size, usual] : llvm::zip(*known, tensor.getShape()))
    value.type.shape->push_back({size, {}, usual});
  return value;
}

SmallVector<GraphValue> TfliteGraph::read(ArrayRef<GraphPort> ports) const {
  SmallVector<GraphValue> values;
  for (const GraphPort &port : ports) {
    GraphValue &value = values.emplace_back(declare(graph.getTensor(port.tensor), /*isKept=*/false));
    value.name = port.name;
    value.source = port.source;
  }
  return values;
}

/// Returns the initial value of a variable, which is its zero point. Returns null if this is 0.
static ElementsAttr makeInitial(const CheckedTensor &tensor, MLIRContext *context) {
  const schema::QuantizationParameters *stated = tensor.table->quantization();
  ArrayRef<int64_t> zeros = stated ? toArray(stated->zero_point()) : ArrayRef<int64_t>();
  if (tensor.table->type() != schema::TensorType_INT8 || zeros.empty())
    return {};
  auto type = RankedTensorType::get(tensor.getShape(), IntegerType::get(context, 8));
  return DenseElementsAttr::get(type, static_cast<int8_t>(zeros.front()));
}

void TfliteGraph::addVariables(SmallVectorImpl<GraphValue> &values, bool areInputs) const {
  for (const KeptVariable &variable : graph.getVariables()) {
    if (model.isConstant(variable))
      continue;
    const TfliteModel::InitialValue *initial = model.getInitial(variable);
    const CheckedTensor &tensor = initial ? initial->tensor : graph.getTensor(variable.tensor);
    GraphValue &value = values.emplace_back(declare(tensor, /*isKept=*/true));
    value.name = value.source = areInputs ? variable.first : variable.last;
    value.variable = variable.name;
    if (areInputs)
      value.initial = initial ? initial->value : makeInitial(tensor, model.getLocation().getContext());
  }
}

FailureOr<Attribute> TfliteGraph::readFacts(size_t index, Location loc) {
  const CheckedTensor &tensor = graph.getTensor(index);
  Attribute &known = facts[index];
  if (!known) {
    // Tensors may share a list of scales, and the lists are copied, so their total size is limited.
    if (const schema::QuantizationParameters *stated = tensor.table->quantization())
      scaleBytes += toArray(stated->scale()).size() * sizeof(float);
    if (scaleBytes > model.getFileSize())
      return emitError(loc)
             << "tensors share their scales so often that they exceed the file's size; export the model again";
    FailureOr<Attribute> read = makeFacts(*tensor.table, getKnownShape(tensor), loc);
    if (failed(read))
      return failure();
    known = *read;
  }
  return known;
}

bool TfliteGraph::hasConstant(StringRef name) const {
  if (const KeptVariable *variable = graph.findVariable(name))
    return model.isConstant(*variable);
  const CheckedTensor *tensor = graph.find(name);
  return tensor && (tensor->state == CheckedTensor::Constant || tensor->state == CheckedTensor::ItsShape);
}

FailureOr<ElementsAttr> TfliteGraph::readConstant(StringRef name) {
  if (const KeptVariable *variable = graph.findVariable(name))
    return model.getInitial(*variable)->value;
  const CheckedTensor *tensor = graph.find(name);
  assert(tensor && "the reader has named all tensors that are used");
  Location loc = getLocation(name);
  if (tensor->state != CheckedTensor::ItsShape)
    return model.readConstant(*tensor, loc);
  for (const schema::Operator *op : graph.getOperators())
    if (ArrayRef<int32_t> operands = toArray(op->inputs());
        !operands.empty() && operands[0] >= 0 && &graph.getTensor(operands[0]) == tensor) {
      ArrayRef<int32_t> shape = toArray(graph.getTensor(toArray(op->outputs())[0]).table->shape());
      return ElementsAttr(DenseIntElementsAttr::get(
          RankedTensorType::get(static_cast<int64_t>(shape.size()), IntegerType::get(loc.getContext(), 32)), shape));
    }
  llvm_unreachable("the reader has seen an operator that reads it");
}

/// Returns the quantization of a tensor, for apps. Returns null if the tensor is not quantized, or if a zero point
/// exceeds 32 bits, because apps have no type for it.
FailureOr<DictionaryAttr> TfliteGraph::readQuantization(StringRef name) {
  const CheckedTensor *tensor = graph.find(name);
  if (!tensor)
    return DictionaryAttr();
  FailureOr<Attribute> read = readFacts(graph.numberOf(*tensor), getLocation(name));
  if (failed(read))
    return failure();
  const TensorFacts facts = tflite_format::readFacts(*read);
  const auto isShort = [](int64_t zero) { return llvm::isInt<32>(zero); };
  if (!facts.quantization || !llvm::all_of(facts.quantization->zeros, isShort))
    return DictionaryAttr();
  const auto &[scales, zeros, axis] = *facts.quantization;
  return nn::writeQuantization(
      {llvm::to_vector(scales), llvm::to_vector_of<int32_t>(zeros), facts.quantization->isPerAxis() ? axis : 0},
      read->getContext());
}

//===----------------------------------------------------------------------===//
// 2. Operators
//===----------------------------------------------------------------------===//

GraphNode TfliteGraph::getNode(size_t index) const {
  const schema::Operator &op = *graph.getOperators()[index];
  OperatorName name = model.getName(op);
  GraphNode node{
      name.name, {}, &getOperators(), name.version, getLocation(), graph.getOperands(index), graph.getResults(index)};
  node.loc = getLocation(node.results.front());
  for (const BodyOfOperator &body : getBodiesOf(index))
    node.graphs.push_back(body.name);
  return node;
}

std::unique_ptr<GraphView> TfliteGraph::openGraph(size_t node, StringRef attribute) {
  for (const BodyOfOperator &body : getBodiesOf(node))
    if (attribute == body.name)
      return std::make_unique<TfliteGraph>(model, model.getBody(body.graph));
  return nullptr;
}

FailureOr<SmallVector<NamedAttribute>> TfliteGraph::readAttributes(size_t index) {
  const schema::Operator &op = *graph.getOperators()[index];
  Location loc = getLocation(graph.getResults(index).front());
  SmallVector<NamedAttribute> attributes;
  const bool isCustom = model.getBuiltin(op) == schema::BuiltinOperator_CUSTOM;
  if (failed(readOptions(op, isCustom, loc, attributes)))
    return failure();
  auto addAll = [&](ArrayRef<int32_t> tensors, const char *word) {
    SmallVector<Attribute> all;
    for (int32_t tensor : tensors) {
      FailureOr<Attribute> read = tensor < 0 ? Attribute(UnitAttr::get(loc.getContext())) : readFacts(tensor, loc);
      if (failed(read))
        return failure();
      all.push_back(*read);
    }
    attributes.emplace_back(StringAttr::get(loc.getContext(), word), ArrayAttr::get(loc.getContext(), all));
    return success();
  };
  if (failed(addAll(toArray(op.inputs()), operandFacts)) || failed(addAll(toArray(op.outputs()), resultFacts)) ||
      failed(addAll(toArray(op.intermediates()), intermediateFacts)))
    return failure();
  return attributes;
}

//===----------------------------------------------------------------------===//
// 3. The model
//===----------------------------------------------------------------------===//

class TfliteView : public ModelView {
public:
  explicit TfliteView(std::unique_ptr<TfliteModel> model) : model(std::move(model)) {
    for (const TfliteModel::Entry &entry : this->model->getEntries())
      graphs.push_back(std::make_unique<TfliteGraph>(*this->model, *entry.graph));
  }

  GraphView &getGraph() override { return *graphs.front(); }
  SmallVector<ModelEntry> getEntries() override {
    SmallVector<ModelEntry> entries;
    for (auto [entry, graph] : llvm::zip_equal(model->getEntries(), graphs))
      entries.push_back({entry.name, graph.get()});
    return entries;
  }

private:
  std::unique_ptr<TfliteModel> model;
  std::vector<std::unique_ptr<TfliteGraph>> graphs;
};

bool claims(const ModelFile &file) {
  return file.getBuffer().substr(sizeof(flatbuffers::uoffset_t)).starts_with(schema::ModelIdentifier());
}

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, const ImportOptions &options, MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  const bool isCut = !options.inputs.empty() || !options.outputs.empty();
  if (!options.tag.empty() || !options.checkpoint.empty())
    return emitError(loc)
           << "--tag and --checkpoint only apply to saved models and graphs, but this is a TensorFlow Lite model";
  if (isCut && options.signatures.size() > 1)
    return emitError(loc) << "--input and --output require at most one --signature, but there are "
                          << options.signatures.size();
  FailureOr<std::unique_ptr<TfliteModel>> model = TfliteModel::read(file, options, context);
  if (failed(model))
    return failure();
  return cutModel(std::make_unique<TfliteView>(std::move(*model)), options);
}

SmallVector<OperatorSet> getOperatorSets() { return {{"", &getOperators()}}; }

} // namespace

const Format format = {"a TensorFlow Lite model", "TensorFlow Lite", claims, read, getOperatorSets,
                       /*hasSignatures=*/true};

} // namespace nacre::importer::tflite_format
