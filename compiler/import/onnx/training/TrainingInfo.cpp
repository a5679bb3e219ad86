// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingInfo.h. First, both graphs are joined, and the names in updates are checked against both. Then the view
// replaces initializers and outputs by variables.

#include "compiler/import/onnx/training/TrainingInfo.h"

#include "dialects/nn/Variables.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

//===----------------------------------------------------------------------===//
// 1. The graphs
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<TrainingInfo>> readTrainingInfo(const onnx::ModelProto &model, Location loc) {
  if (model.training_info_size() == 0)
    return std::unique_ptr<TrainingInfo>();
  if (model.training_info_size() > 1)
    return emitError(loc) << "must have one training_info entry, but has " << model.training_info_size()
                          << "; merge their graphs";
  auto info = std::make_unique<TrainingInfo>();
  const onnx::TrainingInfoProto &training = model.training_info(0);
  info->proto = model.graph();
  info->proto.MergeFrom(training.algorithm());
  FailureOr<std::unique_ptr<CheckedGraph>> graph = CheckedGraph::read(info->proto, /*outer=*/nullptr, loc);
  if (failed(graph))
    return failure();
  info->graph = std::move(*graph);
  if (training.update_binding_size() == 0)
    return emitError(loc) << "training_info must have an update_binding, but has none";
  llvm::StringSet<> outputs, updated;
  for (const onnx::ValueInfoProto &output : info->proto.output())
    outputs.insert(output.name());
  for (const onnx::StringStringEntryProto &update : training.update_binding()) {
    auto error = [&] { return emitError(info->graph->getLocation(update.key())); };
    if (!info->graph->findInitializer(update.key()))
      return error() << "update_binding must name initializers, but '" << update.key() << "' is not one";
    if (!updated.insert(update.key()).second)
      return error() << "update_binding must name each initializer once, but names '" << update.key() << "' twice";
    if (!outputs.contains(update.value()))
      return error() << "update_binding must map an output of its graphs to '" << update.key() << "', but '"
                     << update.value() << "' is not one";
    info->updates.push_back({update.key(), update.value()});
  }
  return info;
}

//===----------------------------------------------------------------------===//
// 2. The view
//===----------------------------------------------------------------------===//

/// Returns the role of a variable. Initializers of the network are weights. Other variables are numbers of steps, and
/// statistics of optimizers.
static nn::VariableRole roleOf(StringRef name, Type elementType, const CheckedGraph &network) {
  if (network.findInitializer(name))
    return nn::VariableRole::Weight;
  return isa<IntegerType>(elementType) ? nn::VariableRole::Counter : nn::VariableRole::Moment;
}

LogicalResult TrainedGraph::setVariables(const TrainingInfo &info, const CheckedGraph &network, bool assigns) {
  inputs = whole->getInputs();
  llvm::StringSet<> assigned;
  for (const auto &[initializer, output] : info.updates) {
    const StringRef name = initializer;
    if (!whole->hasConstant(name))
      continue;
    FailureOr<ElementsAttr> initial = whole->readConstant(name);
    if (failed(initial))
      return failure();
    auto type = cast<RankedTensorType>(initial->getType());
    variables[name] = type;
    llvm::erase_if(inputs, [&](const GraphValue &input) { return input.name == name; });
    GraphValue variable{name, {type.getElementType(), {}, SmallVector<Dimension>()}};
    for (int64_t size : type.getShape())
      variable.type.shape->push_back({size});
    variable.variable = name;
    variable.initial = *initial;
    variable.role = roleOf(name, type.getElementType(), network);
    inputs.push_back(variable);
    if (!assigns)
      continue;
    variable.source = output;
    outputs.push_back(variable);
    assigned.insert(output);
  }
  SmallVector<GraphValue> given = whole->getOutputs();
  llvm::erase_if(given, [&](const GraphValue &output) { return assigned.contains(output.name); });
  outputs.insert(outputs.begin(), given.begin(), given.end());
  return success();
}

} // namespace nacre::importer::onnx_format
