// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements WrittenVariables.h.
//
// How:  1. the nodes that run, and the variables that they write,
//       2. one variable: all nodes that read or write it are found from its handle. A forward walk counts the
//          assignments before each node. A backward walk finds the first assignment after it,
//       3. the messages.

#include "compiler/import/tensorflow/saved/WrittenVariables.h"

#include "compiler/import/tensorflow/graph/TrainedOperands.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"
#include "dialects/PrintableText.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. Nodes that run
//===----------------------------------------------------------------------===//

size_t countWritten(StringRef op) {
  if (size_t trained = countTrainedOperands(op))
    return trained;
  return op.starts_with("Assign") || op.starts_with("Scatter") || op.starts_with("ResourceScatter") ||
         op == "ResourceStridedSliceAssign" || op == "StridedSliceAssign";
}

/// Returns the operator that computes the assigned value from the variable's old value and the other operand; "" if the
/// operator is not an assignment.
static StringRef getAssignedOp(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"Assign", "AssignVariableOp"}, "Identity")
      .Cases({"AssignAdd", "AssignAddVariableOp"}, "AddV2")
      .Cases({"AssignSub", "AssignSubVariableOp"}, "Sub")
      .Default("");
}

/// Returns the number of first operands that the operator assigns as a whole. Result k is the new value of operand k.
static size_t countAssigned(StringRef op) { return getAssignedOp(op).empty() ? countTrainedOperands(op) : 1; }

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

/// True if the variable exists only during one branch or one iteration of a loop.
bool isLocal(const CheckedNode &variable) { return variable.getOp() == localVariableOp; }

class VariableFollower {
public:
  VariableFollower(const CheckedGraph &graph, const std::vector<bool> &runs, int variable, StringRef what,
                   bool canBeLeftOut)
      : graph(graph), runs(runs), variable(variable), canBeLeftOut(canBeLeftOut),
        isReference(graph.getNode(variable).getOp() != "VarHandleOp" && !isLocal(graph.getNode(variable))), what(what),
        before(graph.getNodes().size()), behind(graph.getNodes().size()) {}

  /// Follows the variable and adds the necessary edits. `writers` are all nodes that write the variable, in the order
  /// of the graph.
  FailureOr<WrittenVariable> follow(ArrayRef<int> writers, VariableEdits &edits);

private:
  std::string nameOf(int node) const { return "'" + toPrintable(graph.getNode(node).getName()) + "'"; }
  void findAccesses();
  void countWrites();
  LogicalResult checkOrder();

  const CheckedGraph &graph;
  const std::vector<bool> &runs;
  int variable;
  bool canBeLeftOut; ///< true if choosing other outputs would avoid the write
  bool isReference;  ///< true if the node's result is the value, not a handle; results of assignments are then also
                     ///< references
  StringRef what;
  std::vector<TensorId> accesses;    ///< operands that read or write the variable
  std::vector<TensorId> passes;      ///< operands of nodes that only pass the variable on
  std::vector<TensorId> assignments; ///< assignments: the node, and the result that is the variable's new value
  /// `before`: number of assignments that edges order before each node. `behind`: index of the first assignment that
  /// edges order after it.
  std::vector<size_t> before, behind;
};

/// Finds the operands that are the variable, directly or through nodes that pass it on unchanged.
void VariableFollower::findAccesses() {
  std::set<TensorId> handles = {{variable, 0}};
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    auto isHandle = [&](TensorId operand) { return handles.count(operand) != 0; };
    if (!runs[id] || llvm::none_of(node.operands, isHandle))
      continue;
    const size_t assigned = std::min(countAssigned(node.getOp()), node.operands.size());
    bool handsOnMany = node.getOp() == "IdentityN" && !isReference;
    bool handsOn = node.getOp() == "RefIdentity" || (node.getOp() == "Identity" && !isReference) || handsOnMany;
    for (auto [place, operand] : llvm::enumerate(node.operands)) {
      const auto index = static_cast<int>(place);
      if (!isHandle(operand))
        continue;
      // If an optimizer has the same variable as two operands, only the first one is an assignment. The second one is
      // an access without a defined order, which is an error.
      const bool isFirst = assignments.empty() || assignments.back().node != id;
      if (place < assigned && isFirst)
        assignments.push_back({id, index});
      (handsOn ? passes : accesses).push_back({id, index});
      if (handsOn || (place < assigned && isReference && index == 0))
        handles.insert({id, handsOnMany ? index : 0});
    }
  }
}

void VariableFollower::countWrites() {
  llvm::DenseMap<int, size_t> numbers;
  for (auto [number, assignment] : llvm::enumerate(assignments))
    numbers[assignment.node] = number;
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
  // The order has no edges from one iteration to the next, so loops need another walk. The next iteration does not
  // write a variable that exists only in one iteration.
  const bool crossesIterations = !isLocal(graph.getNode(variable));
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (int id : llvm::reverse(graph.getOrder())) {
      if (!runs[id])
        continue;
      auto write = numbers.find(id);
      size_t first = write == numbers.end() ? behind[id] : write->second;
      forEachSource(id, [&](int source) {
        hasChanged |= crossesIterations && graph.getNode(source).getOp() == "NextIteration" && first < behind[source];
        behind[source] = std::min(behind[source], first);
      });
    }
  }
}

/// Reports an error if the order of an access and an assignment is undefined.
LogicalResult VariableFollower::checkOrder() {
  for (TensorId access : accesses) {
    size_t seen = before[access.node];
    auto place = llvm::find_if(assignments, [&](TensorId assignment) { return assignment.node == access.node; });
    size_t number = place - assignments.begin(), next = number == assignments.size() ? seen : number;
    bool isOrdered = seen == next && (number < assignments.size() || behind[access.node] == next);
    if (isOrdered)
      continue;
    size_t open = number < assignments.size() ? number - 1 : std::min(behind[access.node], seen);
    int other = assignments[std::min(open, assignments.size() - 1)].node;
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
    if (countAssigned(op) == 0 || (!getAssignedOp(op).empty() && graph.getNode(writer).operands.size() != 2))
      return emitError(graph.getLocation(writer))
             << written << " partially; only assignments of whole variables are supported";
    if (llvm::none_of(assignments, [&](TensorId assignment) { return assignment.node == writer; }))
      return emitError(graph.getLocation(writer))
             << written
             << " between Switch and Merge or in a loop's condition, which is not supported; assign the result "
                "afterwards"
             << (canBeLeftOut ? ", or leave it out by naming the outputs you need with --output" : "");
  }
  countWrites();
  if (failed(checkOrder()))
    return failure();
  for (ArrayRef<TensorId> operands : {ArrayRef(accesses), ArrayRef(passes)})
    for (TensorId operand : operands) {
      size_t seen = before[operand.node];
      edits.operands[operand] = graph.getText(seen ? assignments[seen - 1] : TensorId{variable, 0});
    }
  for (TensorId assignment : assignments)
    edits.assignments.insert(assignment.node);
  return WrittenVariable{graph.getNode(variable).getName().str(), graph.getText(assignments.back())};
}

} // namespace

FailureOr<std::vector<WrittenVariable>> followWrites(const CheckedGraph &graph, ArrayRef<TensorId> inputs,
                                                     ArrayRef<TensorId> outputs, ArrayRef<int> last, StringRef what,
                                                     VariableEdits &edits) {
  constexpr size_t most = 2048; // limits the time, because each variable needs a walk over the graph
  std::vector<bool> runs = findRunning(graph, inputs, outputs, last);
  llvm::MapVector<int, std::vector<int>> writers;
  for (int id : graph.getOrder()) {
    const CheckedNode &node = graph.getNode(id);
    if (!runs[id])
      continue;
    const size_t changed = std::min(countWritten(node.getOp()), node.operands.size());
    for (TensorId operand : ArrayRef(node.operands).take_front(changed))
      if (std::optional<int> variable = findVariable(graph, operand))
        writers[*variable].push_back(id);
  }
  if (writers.size() > most)
    return emitError(graph.getLocation())
           << what << " must write at most " << most << " variables, but writes " << writers.size();
  std::vector<WrittenVariable> written;
  for (const auto &[variable, nodes] : writers) {
    FailureOr<WrittenVariable> followed =
        VariableFollower(graph, runs, variable, what, last.empty()).follow(nodes, edits);
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

/// Replaces an assignment by an operator that computes the assigned value. The node of an optimizer stays, because it
/// computes new values from old ones.
static void becomeValue(tensorflow::NodeDef &node) {
  StringRef op = getAssignedOp(node.op());
  if (op.empty())
    return;
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
  addAttribute(node, "T") = std::move(kept);
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
