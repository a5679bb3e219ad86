// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of a TensorFlow model.
//
// How:  1. one entry: a signature, or the part of the graph that the user names. Its assignments become values. Then
//          entries are found again in the changed graph,
//       2. a model that contains its training step: signatures by their names, or parts of one training graph,
//       3. variables that one entry writes are inputs of all entries that read them.

#include "compiler/import/tensorflow/OptimizerNodes.h"
#include "compiler/import/tensorflow/Reader.h"

#include "compiler/import/tensorflow/graph/Results.h"
#include "dialects/PrintableText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. One entry
//===----------------------------------------------------------------------===//

/// Returns the part of the graph that computes a signature.
FailureOr<TensorFlowEntry> TensorFlowModel::makeEntry(const Signature &signature, Location loc) {
  std::string what = "the signature '" + toPrintable(signature.name) + "'";
  auto find = [&](const SignatureTensor &named) -> FailureOr<TensorId> {
    std::optional<std::string> text = calls.resolve(named.info->name());
    std::optional<TensorId> tensor = text ? graph->findTensor(*text) : std::nullopt;
    if (!tensor)
      return emitError(loc) << what << " must name tensors of the graph, but names '" << toPrintable(named.info->name())
                            << "'";
    int type = getResultType(*graph->getNode(tensor->node).proto, tensor->result);
    if (type % 100 == tensorflow::DT_STRING)
      return emitError(loc) << what << " cannot be compiled: '" << toPrintable(named.key)
                            << "' holds strings, not numbers";
    return *tensor;
  };
  std::vector<TensorId> inputs, outputs;
  for (const SignatureTensor &input : signature.inputs) {
    FailureOr<TensorId> tensor = find(input);
    if (failed(tensor))
      return failure();
    if (llvm::is_contained(inputs, *tensor))
      return emitError(loc) << what << " must have distinct inputs, but two are '" << toPrintable(input.info->name())
                            << "'";
    inputs.push_back(*tensor);
  }
  for (const SignatureTensor &output : signature.outputs) {
    FailureOr<TensorId> tensor = find(output);
    if (failed(tensor))
      return failure();
    outputs.push_back(*tensor);
  }
  std::vector<int> called;
  for (const SignatureTensor &output : signature.outputs)
    if (std::optional<TensorName> name = parseTensorName(output.info->name()))
      if (std::optional<int> node = graph->find(name->node))
        called.push_back(*node); // calls may have side effects in addition to their results
  FailureOr<std::vector<TensorId>> wanted = addWritten(inputs, std::move(outputs), called, what);
  if (failed(wanted))
    return failure();
  FailureOr<Section> section = findSection(*graph, std::move(inputs), std::move(*wanted));
  if (failed(section))
    return failure();
  return TensorFlowEntry{signature.name, signature.inputs, signature.outputs, std::move(*section)};
}

/// Finds the variables that the next entry writes. Returns the entry's outputs, followed by the final values of these
/// variables.
FailureOr<std::vector<TensorId>> TensorFlowModel::addWritten(ArrayRef<TensorId> inputs, std::vector<TensorId> outputs,
                                                             ArrayRef<int> last, StringRef what) {
  if (written.size() == entries.size()) {
    FailureOr<std::vector<WrittenVariable>> found = followWrites(*graph, inputs, outputs, last, what, edits);
    if (failed(found))
      return failure();
    written.push_back(std::move(*found));
  }
  for (const WrittenVariable &variable : written[entries.size()])
    outputs.push_back(*graph->findTensor(variable.last));
  return outputs;
}

/// Finds the only entry of a model without signatures: the tensors that the user names, or the default outputs.
LogicalResult TensorFlowModel::findNamedEntry(const ImportOptions &options) {
  ImportOptions named = options;
  for (std::vector<std::string> *tensors : {&named.inputs, &named.outputs})
    for (std::string &tensor : *tensors)
      tensor = calls.resolve(tensor).value_or(tensor);
  if (named.outputs.empty())
    named.outputs = impliedOutputs;
  FailureOr<Section> section = findSection(*graph, named, calls);
  if (failed(section))
    return failure();
  FailureOr<std::vector<TensorId>> wanted = addWritten(section->inputs, section->outputs, /*last=*/{}, "the model");
  if (failed(wanted))
    return failure();
  if (!written.front().empty()) {
    // After the edits, values of assignments have no reader, but are not outputs. So the default outputs are found
    // before the edits.
    for (TensorId output : section->outputs)
      if (!edits.isEmpty())
        impliedOutputs.push_back((graph->getNode(output.node).getName() + ":" + Twine(output.result)).str());
    section = findSection(*graph, section->inputs, std::move(*wanted));
    if (failed(section))
      return failure();
  }
  entries.push_back({"", {}, {}, std::move(*section)});
  return success();
}

bool namesTensors(const ImportOptions &options) { return !options.inputs.empty() || !options.outputs.empty(); }

LogicalResult TensorFlowModel::findSignatures(ArrayRef<std::string> names, Location loc) {
  FailureOr<std::vector<Signature>> signatures = chooseSignatures(*meta, names, loc);
  if (failed(signatures))
    return failure();
  for (const Signature &signature : *signatures) {
    FailureOr<TensorFlowEntry> entry = makeEntry(signature, loc);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  if (entries.size() == 1)
    entries.front().name = "";
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Training
//===----------------------------------------------------------------------===//

namespace {

/// An entry of a model that contains its training step, and the names of signatures that it may have.
struct TrainedSignature {
  const char *entry;
  ArrayRef<const char *> names;
};

constexpr const char *mainNames[] = {"infer", "main", "predict", "serving_default"};
constexpr const char *trainNames[] = {"train"};
constexpr const char *evaluateNames[] = {"evaluate", "eval"};
const TrainedSignature trainedSignatures[] = {{"main", mainNames}, {"train", trainNames}, {"evaluate", evaluateNames}};

bool hasSignature(const tensorflow::MetaGraphDef &meta, StringRef name) {
  return llvm::any_of(meta.signature_def(), [&](const auto &entry) { return entry.key() == name; });
}

} // namespace

/// Finds the entries of a model with training signatures, by their names. Other signatures usually store or restore
/// variables. They are not imported, because Nacre's states do this.
FailureOr<bool> TensorFlowModel::findTrainedSignatures(Location loc) {
  std::vector<std::string> wanted;
  std::vector<StringRef> called;
  for (const TrainedSignature &signature : trainedSignatures)
    if (const auto *name = llvm::find_if(signature.names, [&](StringRef name) { return hasSignature(*meta, name); });
        name != signature.names.end()) {
      wanted.push_back(*name);
      called.push_back(signature.entry);
    }
  if (failed(findSignatures(wanted, loc)))
    return failure();
  for (auto [entry, name] : llvm::zip(entries, called))
    entry.name = name == "main" ? StringRef() : name;
  TensorFlowEntry &train = *llvm::find_if(entries, [](const TensorFlowEntry &entry) { return entry.name == "train"; });
  if (train.outputs.size() == 1)
    train.outputs.front().key = "loss";
  if (called.back() != "evaluate") {
    // The evaluation has the outputs of the training step, without the step itself.
    const std::vector<TensorId> outputs(train.section.outputs.begin(),
                                        train.section.outputs.begin() + std::ptrdiff_t(train.outputs.size()));
    std::vector<TensorId> inputs;
    for (const SignatureTensor &input : train.inputs)
      inputs.push_back(*graph->findTensor(*calls.resolve(input.info->name())));
    FailureOr<Section> section = findSection(*graph, std::move(inputs), outputs);
    if (failed(section))
      return failure();
    if (!isTrained)
      noteBatchStatistics(*graph, section->nodes, "the entry evaluate, made from the signature 'train', normalizes",
                          "save a signature 'evaluate' that uses the moving averages");
    if (written.size() == entries.size())
      written.emplace_back();
    entries.push_back({"evaluate", train.inputs, train.outputs, std::move(*section)});
  }
  SmallVector<std::string> others;
  for (const tensorflow::SignatureEntry &entry : meta->signature_def())
    if (!llvm::is_contained(wanted, entry.key()) && entry.key() != savedModelInitName)
      others.push_back("'" + toPrintable(entry.key()) + "'");
  llvm::sort(others);
  if (!isTrained && !others.empty())
    emitRemark(loc) << "omits the signatures " << llvm::join(others, ", ")
                    << ": apps save and restore variables as a state (nacre_state_save, nacre_state_load)";
  if (!isTrained)
    noteFixedRate(*graph);
  isTrained = true;
  return true;
}

/// Finds the entries `main`, `train` and `evaluate` as parts of one graph.
FailureOr<bool> TensorFlowModel::findTrainedParts(const ImportOptions &options) {
  ImportOptions named = options;
  for (std::vector<std::string> *tensors : {&named.inputs, &named.outputs})
    for (std::string &tensor : *tensors)
      tensor = calls.resolve(tensor).value_or(tensor);
  FailureOr<Section> cut = findNamedTensors(*graph, named);
  if (failed(cut))
    return failure();
  const bool isFirst = !training;
  if (isFirst) {
    FailureOr<std::optional<TrainingGraph>> found =
        findTraining(*graph, *options.trainsItself, cut->inputs, cut->outputs);
    if (failed(found))
      return failure();
    if (!*found)
      return false;
    training = std::move(*found);
  }
  isTrained = true;
  auto add = [&](StringRef name, bool hasLoss, bool hasOutputs, bool trains) {
    TensorFlowEntry entry;
    entry.name = name;
    std::vector<TensorId> inputs = cut->inputs, outputs;
    if (hasLoss) {
      outputs.push_back(*graph->findTensor(training->loss));
      entry.outputs.push_back({"loss", nullptr});
    }
    for (StringRef output : training->outputs)
      if (hasOutputs)
        outputs.push_back(*graph->findTensor(output));
    if (trains && !training->learningRate.empty()) {
      inputs.insert(inputs.begin(), *graph->findTensor(training->learningRate));
      entry.inputs.push_back({"learning_rate", nullptr});
    }
    std::vector<int> last;
    if (trains)
      last.push_back(*graph->find(training->trainOp));
    else if (written.size() == entries.size())
      written.emplace_back();
    FailureOr<std::vector<TensorId>> wanted = addWritten(inputs, std::move(outputs), last, "the step");
    if (failed(wanted))
      return failure();
    FailureOr<Section> section = findReachedSection(*graph, std::move(inputs), std::move(*wanted));
    if (failed(section))
      return failure();
    entry.section = std::move(*section);
    if (name == "evaluate" && isFirst)
      noteBatchStatistics(*graph, entry.section.nodes, "the entries main and evaluate normalize",
                          "for inference, compile a graph that has is_training=false and load the state there");
    entries.push_back(std::move(entry));
    return success();
  };
  if (failed(add("", /*hasLoss=*/false, /*hasOutputs=*/true, /*trains=*/false)) ||
      failed(add("train", /*hasLoss=*/true, /*hasOutputs=*/false, /*trains=*/true)) ||
      failed(add("evaluate", /*hasLoss=*/true, /*hasOutputs=*/true, /*trains=*/false)))
    return failure();
  return true;
}

/// Returns true if the model contains its training step. Its entries are then found.
FailureOr<bool> TensorFlowModel::findTrainedEntries(const ImportOptions &options, Location loc) {
  if (!options.signatures.empty())
    return false;
  if (!namesTensors(options) && options.trainsItself->op.empty() && hasSignature(*meta, "train"))
    return findTrainedSignatures(loc);
  return findTrainedParts(options);
}

//===----------------------------------------------------------------------===//
// 3. All entries
//===----------------------------------------------------------------------===//

/// Adds variables that any entry writes to the inputs of all entries that read them.
void TensorFlowModel::keepVariables() {
  std::set<std::string> names;
  for (ArrayRef<WrittenVariable> variables : written)
    for (const WrittenVariable &variable : variables)
      names.insert(variable.variable);
  for (auto [entry, variables] : llvm::zip_equal(entries, written)) {
    entry.kept.clear();
    for (const WrittenVariable &variable : variables)
      entry.kept.push_back({*graph->find(variable.variable), /*isAssigned=*/true});
    std::vector<int> read = findVariables(entry);
    for (int variable : ArrayRef(read))
      if (names.count(graph->getNode(variable).getName().str()) &&
          llvm::none_of(entry.kept, [&](const KeptVariable &kept) { return kept.node == variable; }))
        entry.kept.push_back({variable, /*isAssigned=*/false});
    for (const KeptVariable &kept : entry.kept)
      entry.section.inputs.push_back({kept.node, 0});
  }
}

LogicalResult TensorFlowModel::findEntries(const ImportOptions &options, Location loc) {
  FailureOr<CheckedGraph> checked = CheckedGraph::read(meta->graph_def(), loc);
  if (failed(checked))
    return failure();
  graph = std::move(*checked);
  entries.clear();
  if (namesTensors(options) && !options.signatures.empty())
    return emitError(loc) << "--signature cannot be combined with --input or --output";
  if (roles.empty())
    roles = findTrainedRoles(*graph);
  bool isNamed = namesTensors(options) || (meta->signature_def().empty() && options.signatures.empty());
  FailureOr<bool> areFound = options.trainsItself ? findTrainedEntries(options, loc) : FailureOr<bool>(false);
  if (failed(areFound))
    return failure();
  if (!*areFound && failed(isNamed ? findNamedEntry(options) : findSignatures(options.signatures, loc)))
    return failure();
  if (!edits.isEmpty()) {
    applyEdits(std::exchange(edits, {}), *meta->mutable_graph_def());
    return findEntries(options, loc);
  }
  keepVariables();
  return success();
}

} // namespace nacre::importer::tensorflow_format
