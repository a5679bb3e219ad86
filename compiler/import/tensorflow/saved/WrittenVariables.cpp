// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a run of the model changes, as values.
//
// How:  1. what runs, and which of it writes which variable,
//       2. one variable: its handle is followed to all that reads or writes it, and the assignments are counted along the
//          graph's order, forwards for what comes before a node and backwards for what comes behind,
//       3. the messages.

#include "compiler/import/tensorflow/saved/WrittenVariables.h"

#include "compiler/import/tensorflow/saved/RestoredVariables.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. What runs
//===----------------------------------------------------------------------===//

/// Optimizers, each of which has an operator of its own.
static bool trains(StringRef op) {
  return op.starts_with("Apply") || op.starts_with("ResourceApply") || op.starts_with("SparseApply") ||
         op.starts_with("ResourceSparseApply");
}

bool writesVariable(StringRef op) {
  return trains(op) || op.starts_with("Assign") || op.starts_with("Scatter") || op.starts_with("ResourceScatter") ||
         op == "ResourceStridedSliceAssign" || op == "StridedSliceAssign";
}

/// The operator that gives what an assignment of the variable's value and another one assigns; empty where it is none.
static StringRef getAssignedOp(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"Assign", "AssignVariableOp"}, "Identity")
      .Cases({"AssignAdd", "AssignAddVariableOp"}, "AddV2")
      .Cases({"AssignSub", "AssignSubVariableOp"}, "Sub")
      .Default("");
}

static std::vector<bool> findRunning(const CheckedGraph &graph, ArrayRef<TensorId> inputs, ArrayRef<TensorId> outputs,
                                     ArrayRef<int> last) {
  std::vector<bool> isReached(graph.getNodes().size(), false);
  std::vector<int> pending;
  std::set<TensorId> given(inputs.begin(), inputs.end());
  auto reach = [&](int node) {
    if (!isReached[node])
      pending.push_back(node);
    isReached[node] = true;
  };
  auto reachTensor = [&](TensorId tensor) {
    if (!given.count(tensor))
      reach(tensor.node);
  };
  llvm::for_each(outputs, reachTensor);
  llvm::for_each(last, reach);
  while (!pending.empty()) {
    const CheckedNode &node = graph.getNode(pending.back());
    pending.pop_back();
    llvm::for_each(node.operands, reachTensor);
    llvm::for_each(node.controls, reach);
  }
  return isReached;
}

//===----------------------------------------------------------------------===//
// 2. One variable
//===----------------------------------------------------------------------===//

namespace {

/// Whether no other run, and nothing outside of a branch or a loop, reads the variable.
bool isLocal(const CheckedNode &variable) { return variable.getOp() == localVariableOp; }

class VariableFollower {
public:
  VariableFollower(const CheckedGraph &graph, const std::vector<bool> &runs, int variable, StringRef what)
      : graph(graph), runs(runs), variable(variable),
        isReference(graph.getNode(variable).getOp() != "VarHandleOp" && !isLocal(graph.getNode(variable))), what(what),
        before(graph.getNodes().size()), behind(graph.getNodes().size()) {}

  /// `writers` are all that write it, in the order of the graph.
  FailureOr<WrittenVariable> follow(ArrayRef<int> writers, VariableEdits &edits);

private:
  std::string nameOf(int node) const { return "'" + toPrintable(graph.getNode(node).getName()) + "'"; }
  void findAccesses();
  void countWrites();
  LogicalResult checkOrder();

  const CheckedGraph &graph;
  const std::vector<bool> &runs;
  int variable;
  bool isReference; ///< who reads it has its value, and assignments hand it on
  StringRef what;
  std::vector<TensorId> accesses; ///< operands that are the variable
  std::vector<TensorId> passes;   ///< the same of nodes that only hand it on
  std::vector<int> assignments;
  /// Of each node: how many assignments are before it, as far as edges say; and how many there are before the first behind.
  std::vector<size_t> before, behind;
};

/// The handle, whatever only hands it on as it is.
void VariableFollower::findAccesses() {
  std::set<TensorId> handles = {{variable, 0}};
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    auto isHandle = [&](TensorId operand) { return handles.count(operand) != 0; };
    if (!runs[id] || llvm::none_of(node.operands, isHandle))
      continue;
    bool assigns = !getAssignedOp(node.getOp()).empty() && isHandle(node.operands[0]);
    bool handsOnMany = node.getOp() == "IdentityN" && !isReference;
    bool handsOn = node.getOp() == "RefIdentity" || (node.getOp() == "Identity" && !isReference) || handsOnMany;
    if (assigns)
      assignments.push_back(id);
    for (auto [index, operand] : llvm::enumerate(node.operands)) {
      if (!isHandle(operand))
        continue;
      (handsOn ? passes : accesses).push_back({id, static_cast<int>(index)});
      if (handsOn || (assigns && isReference && index == 0))
        handles.insert({id, handsOnMany ? static_cast<int>(index) : 0});
    }
  }
}

void VariableFollower::countWrites() {
  llvm::DenseMap<int, size_t> numbers;
  for (auto [number, node] : llvm::enumerate(assignments))
    numbers[node] = number;
  std::fill(behind.begin(), behind.end(), assignments.size());
  auto forEachSource = [&](int id, auto work) {
    for (TensorId operand : graph.getNode(id).operands)
      work(operand.node);
    llvm::for_each(graph.getNode(id).controls, work);
  };
  for (int id : graph.getOrder())
    forEachSource(id, [&](int source) {
      auto write = numbers.find(source);
      before[id] = std::max(before[id], write == numbers.end() ? before[source] : write->second + 1);
    });
  for (int id : llvm::reverse(graph.getOrder())) {
    if (!runs[id])
      continue;
    auto write = numbers.find(id);
    size_t first = write == numbers.end() ? behind[id] : write->second;
    forEachSource(id, [&](int source) { behind[source] = std::min(behind[source], first); });
  }
}

/// Whether each access is before all assignments that are not before it.
LogicalResult VariableFollower::checkOrder() {
  for (TensorId access : accesses) {
    size_t seen = before[access.node];
    const auto *place = llvm::find(ArrayRef(assignments), access.node);
    size_t number = place - ArrayRef(assignments).begin(), next = number == assignments.size() ? seen : number;
    bool isOrdered = seen == next && (number < assignments.size() || behind[access.node] == next);
    if (isOrdered)
      continue;
    size_t open = number < assignments.size() ? number - 1 : std::min(behind[access.node], seen);
    int other = assignments[std::min(open, assignments.size() - 1)];
    return emitError(graph.getLocation(access.node))
           << what << " must read and write variable " << nameOf(variable)
           << " in a defined order, but the order relative to " << nameOf(other)
           << " is undefined; add a control dependency and save the model again";
  }
  return success();
}

FailureOr<WrittenVariable> VariableFollower::follow(ArrayRef<int> writers, VariableEdits &edits) {
  findAccesses();
  for (int writer : writers) {
    StringRef op = graph.getNode(writer).getOp();
    std::string written = what.str() + " writes the variable " + nameOf(variable);
    if (getAssignedOp(op).empty() || graph.getNode(writer).operands.size() != 2)
      return emitError(graph.getLocation(writer))
             << written << " partially; only assignments of whole variables are supported";
    if (!llvm::is_contained(assignments, writer))
      return emitError(graph.getLocation(writer)) << written
                                                  << " between Switch and Merge or in a loop's condition, which is not "
                                                     "supported; assign the result afterwards";
  }
  countWrites();
  if (failed(checkOrder()))
    return failure();
  for (ArrayRef<TensorId> operands : {ArrayRef(accesses), ArrayRef(passes)})
    for (TensorId operand : operands) {
      size_t seen = before[operand.node];
      int source = seen ? assignments[seen - 1] : variable;
      edits.operands[operand] = graph.getNode(source).getName().str();
    }
  edits.assignments.insert(assignments.begin(), assignments.end());
  return WrittenVariable{graph.getNode(variable).getName().str(), graph.getNode(assignments.back()).getName().str()};
}

} // namespace

FailureOr<std::vector<WrittenVariable>> followWrites(const CheckedGraph &graph, ArrayRef<TensorId> inputs,
                                                     ArrayRef<TensorId> outputs, ArrayRef<int> last, StringRef what,
                                                     VariableEdits &edits) {
  constexpr size_t most = 256; // each is a walk over the graph
  std::vector<bool> runs = findRunning(graph, inputs, outputs, last);
  llvm::MapVector<int, std::vector<int>> writers;
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    if (!runs[id] || !writesVariable(node.getOp()) || node.operands.empty())
      continue;
    std::optional<int> variable = findVariable(graph, node.operands[0]);
    if (variable && trains(node.getOp()))
      return emitError(graph.getLocation(id))
             << what << " trains the variable '" << toPrintable(graph.getNode(*variable).getName())
             << "'; training operators are not supported";
    if (variable)
      writers[*variable].push_back(id);
  }
  if (writers.size() > most)
    return emitError(graph.getLocation())
           << what << " must write at most " << most << " variables, but writes " << writers.size();
  std::vector<WrittenVariable> written;
  for (const auto &[variable, nodes] : writers) {
    FailureOr<WrittenVariable> followed = VariableFollower(graph, runs, variable, what).follow(nodes, edits);
    if (failed(followed))
      return failure();
    if (!isLocal(graph.getNode(variable)))
      written.push_back(std::move(*followed));
  }
  return written;
}

//===----------------------------------------------------------------------===//
// 3. Messages
//===----------------------------------------------------------------------===//

/// What is assigned, in place of the assignment.
static void becomeValue(tensorflow::NodeDef &node) {
  StringRef op = getAssignedOp(node.op());
  auto *inputs = node.mutable_input();
  auto first = llvm::find_if(*inputs, [](StringRef operand) { return !operand.starts_with("^"); });
  if (op == "Identity")
    inputs->erase(first);
  const tensorflow::AttrValue *type =
      findAttribute(node, node.op().find("VariableOp") == std::string::npos ? "T" : "dtype");
  tensorflow::AttrValue kept = type ? *type : tensorflow::AttrValue();
  node.set_op(op.str());
  node.clear_attr();
  if (!type)
    return;
  tensorflow::AttrEntry *entry = node.add_attr();
  entry->set_key("T");
  *entry->mutable_value() = std::move(kept);
}

void applyEdits(const VariableEdits &edits, tensorflow::GraphDef &proto) {
  for (const auto &[access, tensor] : edits.operands) {
    int place = -1;
    for (std::string &operand : *proto.mutable_node(access.node)->mutable_input())
      if (!StringRef(operand).starts_with("^") && ++place == access.result)
        operand = tensor;
  }
  for (int assignment : edits.assignments)
    becomeValue(*proto.mutable_node(assignment));
}

} // namespace nacre::importer::tensorflow_format
