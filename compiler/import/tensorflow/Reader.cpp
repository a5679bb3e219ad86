// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Reader.h.
//
// How:  1. the file, for each kind of message that it can contain,
//       2. variables: values from the checkpoint, initial values from the graph, and variables that are kept from run
//          to run,
//       3. constants. Entries.cpp finds the entries.

#include "compiler/import/tensorflow/Reader.h"

#include "compiler/import/model/FileKind.h"
#include "compiler/import/options/Limits.h"
#include "compiler/import/tensorflow/arrays/GradientArrays.h"
#include "compiler/import/tensorflow/arrays/GradientStacks.h"
#include "compiler/import/tensorflow/graph/FileRoot.h"
#include "compiler/import/tensorflow/saved/CheckpointFiles.h"
#include "compiler/import/tensorflow/saved/ConcreteFunctions.h"
#include "compiler/import/tensorflow/saved/ObjectKeys.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/ConstantData.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. The file
//===----------------------------------------------------------------------===//

LogicalResult TensorFlowModel::parse(WireRoot root, const ImportOptions &options, Location loc) {
  switch (root) {
  case WireRoot::SavedModel: {
    if (failed(file.parse(loc, root, saved)))
      return failure();
    FailureOr<tensorflow::MetaGraphDef *> chosen = chooseMetaGraph(saved, options.tag, loc);
    if (failed(chosen))
      return failure();
    meta = *chosen;
    return success();
  }
  case WireRoot::MetaGraph:
    meta = saved.add_meta_graphs();
    return file.parse(loc, root, *meta);
  default:
    assert(root == WireRoot::Graph && "the others are no models");
    meta = saved.add_meta_graphs();
    return file.parse(loc, root, *meta->mutable_graph_def());
  }
}

FailureOr<std::unique_ptr<TensorFlowModel>> TensorFlowModel::read(const ModelFile &file, const ImportOptions &options,
                                                                  MLIRContext *context) {
  Location loc = FileLineColLoc::get(context, file.name, 0, 0);
  // A file of an unknown kind is read as a graph, so that the parser reports the damage.
  WireRoot root = findRoot(file.getBuffer()).value_or(WireRoot::Graph);
  FailureOr<FileBytes> bytes =
      isText(file.getBuffer()) ? encodeText(file.getBuffer(), root, loc) : FailureOr(file.bytes);
  if (failed(bytes))
    return failure();
  std::unique_ptr<TensorFlowModel> model(new TensorFlowModel(std::move(*bytes)));
  if (failed(model->parse(root, options, loc)))
    return failure();
  if (!namesTensors(options)) {
    FailureOr<llvm::StringMap<int>> wrapped = wrapFunctions(*model->meta, options.signatures, loc);
    if (failed(wrapped))
      return failure();
    model->wrapped = std::move(*wrapped);
  }
  FailureOr<CallResults> calls = inlineCalls(*model->meta->mutable_graph_def(), loc);
  if (failed(calls))
    return failure();
  model->calls = std::move(*calls);
  // Only for training: in inference, no output depends on these arrays, so they need not be supported.
  if (options.trainsItself) {
    const LogicalResult arrays = replaceGradientArrays(*model->meta->mutable_graph_def(), loc),
                        stacks = replaceGradientStacks(*model->meta->mutable_graph_def(), loc);
    if (failed(arrays) || failed(stacks))
      return failure();
  }
  uniteVariables(*model->meta->mutable_graph_def());
  FailureOr<std::string> prefix = findCheckpoint(file, root, options.checkpoint, loc);
  if (failed(prefix) || failed(model->findEntries(options, loc)) || failed(model->bindVariables(*prefix, loc)) ||
      failed(model->startVariables(options, loc)) || failed(model->startKept()))
    return failure();
  return model;
}

//===----------------------------------------------------------------------===//
// 2. Variables
//===----------------------------------------------------------------------===//

/// Returns the variables that the entry reads or keeps, without duplicates.
std::vector<int> TensorFlowModel::findVariables(const TensorFlowEntry &entry) const {
  llvm::SetVector<int> found;
  auto look = [&](TensorId tensor) {
    if (isVariable(graph->getNode(tensor.node)))
      found.insert(tensor.node);
  };
  for (int node : entry.section.nodes)
    llvm::for_each(graph->getNode(node).operands, look);
  llvm::for_each(entry.section.outputs, look);
  for (const KeptVariable &kept : entry.kept)
    found.insert(kept.node);
  return {found.begin(), found.end()};
}

/// Returns the variables of all entries.
std::vector<int> TensorFlowModel::findVariables() const {
  llvm::SetVector<int> found;
  for (const TensorFlowEntry &entry : entries)
    found.insert_range(findVariables(entry));
  return {found.begin(), found.end()};
}

bool TensorFlowModel::isKept(int variable) const {
  return llvm::any_of(entries, [&](const TensorFlowEntry &entry) {
    return llvm::any_of(entry.kept, [&](const KeptVariable &kept) { return kept.node == variable; });
  });
}

/// Returns the role of a kept variable. In a graph that trains, a variable that no optimizer changes is a statistic if
/// the network reads it.
nn::VariableRole TensorFlowModel::findRole(const KeptVariable &kept) const {
  if (auto known = roles.find(graph->getNode(kept.node).getName()); known != roles.end())
    return known->second;
  if (roles.empty() && !isTrained)
    return nn::VariableRole::Recurrent;
  if (isa<IntegerType>(kept.initial.getElementType()))
    return nn::VariableRole::Counter;
  if (llvm::none_of(entries.front().kept, [&](const KeptVariable &other) { return other.node == kept.node; }))
    return nn::VariableRole::Moment;
  return roles.empty() ? nn::VariableRole::Weight : nn::VariableRole::Statistic;
}

LogicalResult TensorFlowModel::bindVariables(StringRef prefix, Location loc) {
  std::vector<int> found = findVariables();
  if (found.empty() || prefix.empty())
    return success();
  FailureOr<std::unique_ptr<TensorBundle>> bundle = TensorBundle::open(prefix, loc);
  if (failed(bundle))
    return failure();
  std::optional<int> restore = graph->find(meta->saver_def().restore_op_name());
  llvm::DenseMap<int, CheckpointPart> restored = findRestoredVariables(*graph, restore);
  llvm::StringMap<std::string> keys;
  if (llvm::any_of(found, [&](int variable) { return !restored.count(variable); })) {
    FailureOr<ObjectKeys> read = readObjectKeys(meta->object_graph_def(), **bundle, loc);
    if (failed(read))
      return failure();
    for (const auto &[name, object] : wrapped)
      if (auto key = read->find(object); key != read->end())
        restored[*graph->find(name)] = CheckpointPart{key->second, ""};
    keys = nameObjectKeys(meta->object_graph_def(), *read);
  }
  variables = SavedVariables(std::move(*bundle), std::move(restored), std::move(keys));
  return success();
}

/// Replaces variables that are not in the checkpoint by their initial values, if these depend only on constants.
LogicalResult TensorFlowModel::startVariables(const ImportOptions &options, Location loc) {
  llvm::DenseMap<int, TensorId> initial = findInitialValues(*graph);
  std::vector<int> started;
  for (int variable : findVariables()) {
    auto value = initial.find(variable);
    if (isKept(variable) || value == initial.end() || variables.find(graph->getNode(variable), variable))
      continue;
    if (!isMadeOfConstants(*graph, value->second))
      continue;
    const std::string operand = graph->getText(value->second);
    tensorflow::NodeDef &node = *meta->mutable_graph_def()->mutable_node(variable);
    node.set_op("Identity");
    node.clear_attr();
    node.add_input(operand);
    started.push_back(variable);
  }
  if (started.empty())
    return success();
  emitWarning(graph->getLocation(started.front())) << started.size()
                                                   << " variables, the first of which is this one, are not in a "
                                                      "checkpoint; they keep their initial values from the graph";
  return findEntries(options, loc);
}

/// Returns the variable's value in the checkpoint. Without one, returns the initial value `given` of the graph, which
/// must be a constant or a Fill of constants.
FailureOr<ElementsAttr> TensorFlowModel::readInitial(int variable, std::optional<TensorId> given) {
  const Location loc = graph->getLocation(variable);
  if (!given || variables.find(graph->getNode(variable), variable))
    return readConstant(variable, loc);
  if (std::optional<int> constant = findConstant(*graph, *given))
    return readConstant(*constant, loc);
  const CheckedNode &fill = graph->getNode(given->node);
  const auto findOperand = [&](size_t index) {
    return index < fill.operands.size() ? findConstant(*graph, fill.operands[index]) : std::nullopt;
  };
  std::optional<int> sizes = fill.getOp() == "Fill" ? findOperand(0) : std::nullopt, element = findOperand(1);
  if (!sizes || !element)
    return readConstant(variable, loc);
  FailureOr<ElementsAttr> shape = readConstant(*sizes, loc), value = readConstant(*element, loc);
  if (failed(shape) || failed(value))
    return failure();
  auto view = nn::ConstantView::get(*shape), elementView = nn::ConstantView::get(*value);
  const Type elementType = value->getElementType();
  const bool isList = succeeded(view) && succeeded(elementView) && isa<IntegerType>(shape->getElementType()) &&
                      shape->getNumElements() <= maxRank && value->getNumElements() == 1 &&
                      isa<IntegerType, FloatType>(elementType);
  SmallVector<int64_t> dims = isList ? view->readIntegers() : SmallVector<int64_t>{-1};
  int64_t count = 1;
  for (int64_t size : dims)
    count = size < 0 || size > INT32_MAX || count < 0 || count > INT32_MAX ? -1 : count * size;
  if (count < 0 || count > INT32_MAX)
    return emitError(loc) << "the variable must begin with a Fill of a shape and of one value, but '"
                          << toPrintable(fill.getName()) << "' is another one; pass the values with --checkpoint";
  double number = 0;
  elementView->read(0, 1, 1, &number);
  Attribute splat = isa<FloatType>(elementType)
                        ? Attribute(FloatAttr::get(elementType, number))
                        : Attribute(IntegerAttr::get(elementType, elementView->readIntegers().front()));
  return ElementsAttr(DenseElementsAttr::get(RankedTensorType::get(dims, elementType), splat));
}

/// Reads the initial values of kept variables from the checkpoint or from the graph.
LogicalResult TensorFlowModel::startKept() {
  llvm::StringMap<int> owners; // first variable of each part of the checkpoint
  for (int variable : findVariables()) {
    std::optional<CheckpointPart> part = variables.find(graph->getNode(variable), variable);
    int owner = part ? owners.try_emplace(part->key + '\0' + part->slice, variable).first->second : variable;
    if (owner != variable && (isKept(variable) || isKept(owner)))
      return emitError(graph->getLocation(variable))
             << "must be the only node of its assigned variable, but '" << graph->getNode(owner).getName()
             << "' is another one; compile signatures that use only one of them";
  }
  llvm::DenseMap<int, TensorId> initial = findInitialValues(*graph);
  for (TensorFlowEntry &entry : entries)
    for (KeptVariable &kept : entry.kept) {
      auto given = initial.find(kept.node);
      FailureOr<ElementsAttr> value =
          readInitial(kept.node, given == initial.end() ? std::nullopt : std::optional(given->second));
      if (failed(value))
        return failure();
      kept.initial = *value;
      kept.role = findRole(kept);
    }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Constants
//===----------------------------------------------------------------------===//

FailureOr<ElementsAttr> TensorFlowModel::readConstant(const tensorflow::TensorProto &tensor, StringRef name,
                                                      Location loc) {
  // Copies of a function's body share the elements of its constants.
  uint64_t begin = tensor.payloads().begin();
  if (begin == tensor.payloads().end())
    return file.readConstant(tensor, name, loc);
  ElementsAttr &known = constants[begin];
  if (known)
    return known;
  FailureOr<ElementsAttr> value = file.readConstant(tensor, name, loc);
  if (succeeded(value))
    known = *value;
  return value;
}

FailureOr<ElementsAttr> TensorFlowModel::readConstant(int id, Location loc) {
  const CheckedNode &node = graph->getNode(id);
  if (isVariable(node))
    return variables.read(node, id, loc);
  const tensorflow::AttrValue *value = findAttribute(*node.proto, "value");
  if (!value || !value->has_tensor())
    return emitError(loc) << "a constant must have a tensor as its attribute 'value'";
  return readConstant(value->tensor(), node.getName(), loc);
}

} // namespace nacre::importer::tensorflow_format
