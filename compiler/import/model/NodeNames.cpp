// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of diagnostics about nodes.

#include "compiler/import/model/NodeNames.h"

#include "dialects/NearestNames.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace nacre::importer {

std::string qualify(const GraphNode &node) {
  return (node.domain.empty() ? node.op : node.domain + "." + node.op).str();
}

std::string describeVersion(const GraphNode &node) {
  return node.version ? (" (" + node.registry->getVersionWord() + " " + Twine(node.version) + ")").str() : "";
}

StringRef findTensor(const GraphView &graph, llvm::function_ref<bool(StringRef)> isWanted) {
  for (const GraphValue &input : graph.getInputs())
    if (isWanted(input.getSource()))
      return input.getSource();
  for (size_t index = 0; index < graph.getNumNodes(); ++index)
    for (StringRef name : graph.getNode(index).results)
      if (isWanted(name))
        return name;
  return "";
}

/// True if TensorFlow's `node` assigns to a variable. There is no handler for such nodes in frozen graphs.
static bool isAssignment(const GraphNode &node) {
  constexpr StringRef assignments[] = {"Assign",           "AssignAdd",           "AssignSub",
                                       "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"};
  return node.version == 0 && node.domain.empty() && llvm::is_contained(assignments, node.op);
}

LogicalResult refuse(const GraphNode &node) {
  InFlightDiagnostic error = emitError(node.loc)
                             << "unsupported operator '" << qualify(node) << "'" << describeVersion(node);
  if (isAssignment(node))
    error << ", which updates a variable during training; exclude it by naming the outputs you need with --output";
  StringRef word = node.registry->getVersionWord();
  if (std::optional<int64_t> first = node.registry->getFirstVersion(node.op))
    error << "; it is supported since " << word << " " << *first;
  if (int64_t newest = node.registry->getNewestVersion(); node.version > newest)
    error << "; the newest " << word << " that Nacre knows is " << newest << ": export the model with that one";
  // If another framework added the operator to the format, a newer operator set does not help.
  if (!node.domain.empty() && !node.registry->getFirstVersion(node.op))
    error.attachNote() << "list all such operators with --check; then export without the operators of '" << node.domain
                       << "', cut the model before the node with --output, or store the operator as a function of "
                          "known operators in the file";
  return error;
}

const ImportRegistry::Entry *findHandler(const GraphNode &node) { return node.registry->find(node.op, node.version); }

void refuseUnsupported(GraphView &graph) {
  llvm::StringSet<> refused;
  for (size_t index = 0; index < graph.getNumNodes(); ++index)
    if (GraphNode node = graph.getNode(index);
        !findHandler(node) && !graph.openFunction(index) && refused.insert(qualify(node)).second)
      (void)refuse(node);
}

void warnOfNewerVersion(const GraphNode &node, Location loc) {
  StringRef word = node.registry->getVersionWord();
  emitWarning(loc) << "the model uses " << word << " " << node.version << ", but the newest that Nacre knows is "
                   << node.registry->getNewestVersion() << "; it is read as that version";
}

LogicalResult refuseName(Location loc, StringRef option, StringRef name, ArrayRef<StringRef> known, StringRef what) {
  InFlightDiagnostic error = emitError(loc)
                             << option << " must name a " << what << " of the graph, but names '" << name << "'";
  if (StringRef nearest = nearestName(name, known); !nearest.empty())
    error << "; is it '" << nearest << "'?";
  return error;
}

StringRef nameOf(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  return named ? named.getName().getValue() : StringRef();
}

std::string describe(Diagnostic &diagnostic, const GraphNode &node) {
  StringRef place = nameOf(diagnostic.getLocation());
  bool isItsOwn = place.empty() || place == nameOf(node.loc) || llvm::is_contained(node.operands, place);
  return isItsOwn ? diagnostic.str() : "'" + place.str() + "': " + diagnostic.str();
}

} // namespace nacre::importer
