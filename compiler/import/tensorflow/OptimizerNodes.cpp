// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OptimizerNodes.h.

#include "compiler/import/tensorflow/OptimizerNodes.h"

#include "compiler/import/tensorflow/Operators.h"
#include "compiler/import/tensorflow/graph/TrainedOperands.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"

#include "mlir/IR/Diagnostics.h"
#include <set>

using namespace mlir;

namespace nacre::importer::tensorflow_format {

/// Returns the operand of an optimizer that is its learning rate.
static std::optional<size_t> findRateOperand(StringRef op) {
  const ImportRegistry::Entry *entry = countTrainedOperands(op) ? getOperators().find(op, /*version=*/0) : nullptr;
  if (!entry)
    return std::nullopt;
  for (auto [index, rule] : llvm::enumerate(entry->signature.getRules()))
    if (rule.getName() == "lr" || rule.getName() == "alpha")
      return index;
  return std::nullopt;
}

std::string findLearningRate(const CheckedGraph &graph, const Nodes &runs) {
  std::set<int> rates;
  for (int id = 0; id < int(runs.size()); ++id) {
    const CheckedNode &node = graph.getNode(id);
    std::optional<size_t> place = runs[id] ? findRateOperand(node.getOp()) : std::nullopt;
    if (!place || *place >= node.operands.size())
      continue;
    int source = node.operands[*place].node;
    while (graph.getNode(source).getOp() == "Identity" && !graph.getNode(source).operands.empty())
      source = graph.getNode(source).operands.front().node;
    rates.insert(source);
  }
  if (rates.size() == 1 && graph.getNode(*rates.begin()).isPlaceholder())
    return graph.getNode(*rates.begin()).getName().str();
  if (!rates.empty())
    emitRemark(graph.getLocation(*rates.begin()))
        << "the learning rate is computed in the graph and is not an input; feed it from a placeholder to set it in "
           "each step";
  return "";
}

void noteFixedRate(const CheckedGraph &graph) { (void)findLearningRate(graph, Nodes(graph.getNodes().size(), true)); }

llvm::StringMap<nn::VariableRole> findTrainedRoles(const CheckedGraph &graph) {
  llvm::StringMap<nn::VariableRole> roles;
  for (const CheckedNode &node : graph.getNodes()) {
    const size_t count = std::min(countTrainedOperands(node.getOp()), node.operands.size());
    for (auto [index, operand] : llvm::enumerate(ArrayRef(node.operands).take_front(count)))
      if (std::optional<int> variable = findVariable(graph, operand)) {
        const auto role = index == 0 ? nn::VariableRole::Weight : nn::VariableRole::Moment;
        auto [known, isNew] = roles.try_emplace(graph.getNode(*variable).getName(), role);
        if (!isNew && index == 0)
          known->second = role;
      }
  }
  return roles;
}

} // namespace nacre::importer::tensorflow_format
