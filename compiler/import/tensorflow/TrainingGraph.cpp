// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the training parts of a graph.
//
// How:  1. the node that runs a training step: it depends on an optimizer, and no node depends on it,
//       2. dependences on inputs, on variables, and on trained variables through operators that have gradients,
//       3. the loss: it depends on a comparison of a trained tensor with a tensor that depends on inputs but on no
//          variable. No node that computes reads it,
//       4. the network's outputs: the trained tensors that the loss compares.

#include "compiler/import/tensorflow/TrainingGraph.h"

#include "compiler/import/model/NodeNames.h"
#include "compiler/import/tensorflow/OptimizerNodes.h"
#include "compiler/import/tensorflow/graph/Results.h"
#include "compiler/import/tensorflow/graph/TrainedOperands.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"
#include "compiler/import/tensorflow/saved/WrittenVariables.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

template <typename Names> std::string quote(const Names &names) {
  constexpr size_t most = 8;
  std::string text;
  for (auto [index, name] : llvm::enumerate(names))
    if (index < most)
      text += (index ? ", '" : "'") + toPrintable(name) + "'";
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

class TrainingFinder {
public:
  TrainingFinder(const CheckedGraph &graph, const OwnTraining &options, ArrayRef<TensorId> inputs)
      : graph(graph), options(options), size(graph.getNodes().size()), isInput(size), isRead(size), onInput(size),
        onVariable(size), onTrained(size), compares(size), isCompared(size) {
    for (TensorId input : inputs)
      isInput[input.node] = true;
    for (size_t node = 0; node < size; ++node)
      if (graph.getNode(int(node)).isPlaceholder())
        isInput[node] = true;
  }

  FailureOr<std::optional<TrainingGraph>> find(ArrayRef<TensorId> outputs);

private:
  std::string nameOf(int node) const { return graph.getNode(node).getName().str(); }
  FailureOr<std::optional<int>> findTrainOp();
  Nodes findRunning(int trainOp) const;
  void followDependences(const Nodes &runs);
  void followOnce(const llvm::DenseSet<int> &trained);
  FailureOr<TensorId> findLoss();
  FailureOr<std::vector<TensorId>> findOutputs(TensorId loss);

  const CheckedGraph &graph;
  const OwnTraining &options;
  const size_t size;
  Nodes isInput;
  Nodes isRead; ///< true if a node that computes reads the node
  Nodes onInput, onVariable, onTrained;
  Nodes compares;   ///< true if the node compares a trained tensor with a tensor that depends on inputs but on no
                    ///< variable
  Nodes isCompared; ///< true if the node depends on a node of `compares`
};

//===----------------------------------------------------------------------===//
// 1. The node that runs a step
//===----------------------------------------------------------------------===//

FailureOr<std::optional<int>> TrainingFinder::findTrainOp() {
  Nodes trains(size), writes(size), isAwaited(size);
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    trains[id] = countTrainedOperands(node.getOp()) != 0;
    writes[id] = countWritten(node.getOp()) != 0;
    auto take = [&](int source) {
      trains[id] = trains[id] || trains[source];
      writes[id] = writes[id] || writes[source];
      isAwaited[source] = true;
    };
    for (TensorId operand : node.operands)
      take(operand.node);
    llvm::for_each(node.controls, take);
  }
  if (!options.op.empty()) {
    std::optional<int> named = graph.find(options.op);
    SmallVector<StringRef> known;
    for (const CheckedNode &node : graph.getNodes())
      known.push_back(node.getName());
    if (!named)
      return refuseName(graph.getLocation(), "--train-op", options.op, known, "node");
    if (!writes[*named])
      return emitError(graph.getLocation(*named)) << "--train-op must name a node that updates variables, but '"
                                                  << toPrintable(options.op) << "' updates none";
    return named;
  }
  SmallVector<int> candidates;
  for (int node = 0; node < int(size); ++node)
    if (trains[node] && !isAwaited[node])
      candidates.push_back(node);
  if (candidates.empty())
    return std::optional<int>();
  if (candidates.size() > 1)
    return emitError(graph.getLocation())
           << "the graph has " << candidates.size() << " nodes that train variables, "
           << quote(llvm::map_to_vector(candidates, [&](int node) { return nameOf(node); }))
           << "; choose one with --train-op";
  return std::optional<int>(candidates.front());
}

Nodes TrainingFinder::findRunning(int trainOp) const {
  Nodes runs(size);
  std::vector<int> pending = {trainOp};
  runs[trainOp] = true;
  while (!pending.empty()) {
    const CheckedNode &node = graph.getNode(pending.back());
    pending.pop_back();
    auto reach = [&](int source) {
      if (!runs[source])
        pending.push_back(source);
      runs[source] = true;
    };
    for (TensorId operand : node.operands)
      reach(operand.node);
    llvm::for_each(node.controls, reach);
  }
  return runs;
}

//===----------------------------------------------------------------------===//
// 2. Dependences
//===----------------------------------------------------------------------===//

/// True if the operator reads only the shapes of its operands.
bool readsShape(StringRef op) {
  return llvm::is_contained({"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"}, op);
}

/// True if gradients end at the operator, although its results depend on the operands.
bool hasNoGradient(StringRef op) {
  return llvm::is_contained({"ArgMax", "ArgMin", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
                             "InTopK", "InTopKV2", "StopGradient", "Round", "Floor", "Ceil", "Sign"},
                            op);
}

void TrainingFinder::followOnce(const llvm::DenseSet<int> &trained) {
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    onInput[id] = isInput[id];
    onVariable[id] = isVariable(node);
    onTrained[id] = trained.contains(id);
    if (readsShape(node.getOp()) || isInput[id])
      continue;
    bool hasTrained = false, hasPlain = false;
    for (TensorId operand : node.operands) {
      const int source = operand.node;
      onInput[id] = onInput[id] || onInput[source];
      onVariable[id] = onVariable[id] || onVariable[source];
      onTrained[id] = onTrained[id] || onTrained[source];
      isCompared[id] = isCompared[id] || isCompared[source];
      hasTrained |= onTrained[source] && onInput[source];
      hasPlain |= onInput[source] && !onVariable[source];
      // Summaries, whose results are strings, do not count as readers.
      if (countResults(*node.proto) == 0 || getResultType(*node.proto, 0) != tensorflow::DT_STRING)
        isRead[source] = true;
    }
    compares[id] = hasTrained && hasPlain;
    isCompared[id] = isCompared[id] || compares[id];
    if (hasNoGradient(node.getOp()))
      onTrained[id] = false;
  }
}

void TrainingFinder::followDependences(const Nodes &runs) {
  llvm::DenseSet<int> trained;
  for (int id = 0; id < int(size); ++id) {
    const CheckedNode &node = graph.getNode(id);
    if (!runs[id] || countWritten(node.getOp()) == 0 || node.operands.empty())
      continue;
    if (std::optional<int> variable = findVariable(graph, node.operands.front()))
      trained.insert(*variable);
  }
  // The order has no edges from one iteration to the next, so loops need more than one walk.
  const auto followAll = [&] {
    std::array<Nodes, 4> before;
    do {
      before = {onInput, onVariable, onTrained, isCompared};
      followOnce(trained);
    } while (before != std::array<Nodes, 4>{onInput, onVariable, onTrained, isCompared});
  };
  followAll();
  // Comparisons found before all variables were known may be wrong, so they are computed again.
  isCompared.assign(size, false);
  followAll();
}

//===----------------------------------------------------------------------===//
// 3. The loss
//===----------------------------------------------------------------------===//

/// True if the node is in a scope that tf.gradients opens, `gradients` or `gradients_1`. Such scopes also compute
/// unused values.
bool isInGradients(StringRef name) {
  while (!name.empty()) {
    auto [scope, rest] = name.split('/');
    const bool isOpened = scope.consume_front("gradients") && (scope.empty() || scope.consume_front("_"));
    if (isOpened && llvm::all_of(scope, llvm::isDigit) && !rest.empty())
      return true;
    name = rest;
  }
  return false;
}

FailureOr<TensorId> TrainingFinder::findLoss() {
  if (!options.loss.empty()) {
    if (std::optional<TensorId> named = graph.findTensor(options.loss))
      return *named;
    SmallVector<StringRef> known;
    for (const CheckedNode &node : graph.getNodes())
      known.push_back(node.getName());
    return refuseName(graph.getLocation(), "the loss of --train-op", options.loss, known);
  }
  SmallVector<int> candidates, inGradients;
  for (int node = 0; node < int(size); ++node) {
    const tensorflow::NodeDef &proto = *graph.getNode(node).proto;
    if (isRead[node] || !onTrained[node] || !isCompared[node] || countWritten(proto.op()) != 0 ||
        countResults(proto) == 0)
      continue;
    const int type = getResultType(proto, 0);
    if (type == tensorflow::DT_FLOAT || type == tensorflow::DT_HALF || type == tensorflow::DT_DOUBLE)
      (isInGradients(proto.name()) ? inGradients : candidates).push_back(node);
  }
  // The user may also have opened a scope of that name.
  if (candidates.empty())
    candidates = std::move(inGradients);
  if (candidates.size() == 1)
    return TensorId{candidates.front(), 0};
  InFlightDiagnostic error = emitError(graph.getLocation());
  if (candidates.empty())
    error << "the graph has no tensor that can be the loss: one that no node reads and that depends on inputs and on "
             "trained variables";
  else
    error << "the graph has " << candidates.size() << " tensors that can be the loss, "
          << quote(llvm::map_to_vector(candidates, [&](int node) { return nameOf(node); }));
  return error << "; name it with --train-op=<node>,loss=<tensor>";
}

//===----------------------------------------------------------------------===//
// 4. The network's outputs
//===----------------------------------------------------------------------===//

FailureOr<std::vector<TensorId>> TrainingFinder::findOutputs(TensorId loss) {
  // Walks back from the loss, level by level. The compared tensors that are nearest to the loss are the outputs.
  std::vector<TensorId> outputs;
  llvm::SetVector<int> reached;
  reached.insert(loss.node);
  auto isOutput = [&](TensorId tensor) { return llvm::is_contained(outputs, tensor); };
  for (size_t next = 0; next < reached.size(); ++next) {
    const CheckedNode &node = graph.getNode(reached[next]);
    if (llvm::any_of(outputs, [&](TensorId output) { return output.node == reached[next]; }))
      continue;
    for (TensorId operand : node.operands) {
      const bool isTrained = onTrained[operand.node] && onInput[operand.node];
      if (!compares[reached[next]]) {
        if (isTrained)
          reached.insert(operand.node);
      } else if (isTrained && !isOutput(operand)) {
        outputs.push_back(operand);
      }
    }
  }
  if (outputs.empty())
    return emitError(graph.getLocation(loss.node))
           << "the loss must compare the network's output with an input, but does not; name the network's outputs with "
              "--output";
  return outputs;
}

FailureOr<std::optional<TrainingGraph>> TrainingFinder::find(ArrayRef<TensorId> outputs) {
  FailureOr<std::optional<int>> trainOp = findTrainOp();
  if (failed(trainOp))
    return failure();
  if (!*trainOp)
    return std::optional<TrainingGraph>();
  const Nodes runs = findRunning(**trainOp);
  followDependences(runs);
  FailureOr<TensorId> loss = findLoss();
  if (failed(loss))
    return failure();
  std::vector<TensorId> given = outputs.vec();
  if (given.empty()) {
    FailureOr<std::vector<TensorId>> found = findOutputs(*loss);
    if (failed(found))
      return failure();
    given = std::move(*found);
  }
  TrainingGraph result;
  result.trainOp = nameOf(**trainOp);
  result.loss = graph.getText(*loss);
  for (TensorId output : given)
    result.outputs.push_back(graph.getText(output));
  emitRemark(graph.getLocation()) << "trains as its node '" << toPrintable(result.trainOp) << "' does; the loss is '"
                                  << toPrintable(result.loss) << "', and the entry main returns "
                                  << quote(result.outputs);
  result.learningRate = findLearningRate(graph, runs);
  return std::optional(std::move(result));
}

} // namespace

FailureOr<std::optional<TrainingGraph>> findTraining(const CheckedGraph &graph, const OwnTraining &options,
                                                     ArrayRef<TensorId> inputs, ArrayRef<TensorId> outputs) {
  return TrainingFinder(graph, options, inputs).find(outputs);
}

void noteBatchStatistics(const CheckedGraph &graph, ArrayRef<int> nodes, StringRef entries, StringRef advice) {
  for (int id : nodes) {
    const CheckedNode &node = graph.getNode(id);
    const tensorflow::AttrValue *trains = findAttribute(*node.proto, "is_training");
    if (!node.getOp().starts_with("FusedBatchNorm") || node.getOp().contains("Grad") || (trains && !trains->b()))
      continue;
    emitRemark(graph.getLocation(id)) << entries
                                      << " with the mean and variance of each batch, because the file has "
                                         "is_training=true there; "
                                      << advice;
    return;
  }
}

} // namespace nacre::importer::tensorflow_format
