// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements FunctionalControl.h.
//
// How:  1. calls between the new nodes (LoweredNodes.h),
//       2. branches,
//       3. loops,
//       4. variables that the functions write,
//       5. the IdentityN that replaces the node.

#include "compiler/import/tensorflow/saved/FunctionalControl.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"
#include "compiler/import/tensorflow/graph/Results.h"
#include "compiler/import/tensorflow/saved/LoweredNodes.h"
#include "compiler/import/tensorflow/saved/RestoredVariables.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using tensorflow::AttrValue;
using tensorflow::NodeDef;

namespace nacre::importer::tensorflow_format {
namespace {

enum class Kind : uint8_t { None, If, Case, While };

Kind getKind(StringRef op) {
  return llvm::StringSwitch<Kind>(op)
      .Cases({"If", "StatelessIf"}, Kind::If)
      .Cases({"Case", "StatelessCase"}, Kind::Case)
      .Cases({"While", "StatelessWhile"}, Kind::While)
      .Default(Kind::None);
}

class Lowering : LoweredNodes {
public:
  Lowering(NodeDef &place, Location modelLoc, FunctionLibrary &library,
           llvm::function_ref<NodeDef *(const std::string &)> addNode)
      : LoweredNodes(place, addNode), place(place), modelLoc(modelLoc), library(library) {}

  LogicalResult lower();

  SmallVector<NodeDef *> calls;

private:
  /// A call of a branch, condition or body, with its own copies of variables.
  struct Side {
    std::string name;
    NodeDef *call = nullptr;
    std::map<size_t, NodeDef *> variables; ///< the call's own variables, by the index of the node's operand
  };
  /// A variable that a function writes. Its value, not its handle, is passed as an operand.
  struct Written {
    std::string handle;
    tensorflow::DataType type;
  };

  InFlightDiagnostic error() const {
    return emitError(NameLoc::get(StringAttr::get(modelLoc.getContext(), node.name()), modelLoc));
  }
  /// Returns the attribute `name`, which names functions; null after an error.
  const AttrValue *findFunctions(StringRef name) const;

  Side addCall(const std::string &name, const tensorflow::NameAttrList &function, Tensors arguments,
               const NodeDef *pivot);

  LogicalResult lowerIf();
  LogicalResult lowerCase();
  LogicalResult lowerWhile();
  void addMerges(ArrayRef<Side> sides);
  void findWritten();
  void readWritten();
  NodeDef *addAccess(const std::string &name, const char *op, const Tensors &read, size_t operand);
  Tensors addOwnVariables(Side &side, Tensors &arguments);
  std::string readAfter(const Side &side, size_t operand);
  void assign(size_t operand, const std::string &value);
  void leaveResults();

  NodeDef &place;
  Location modelLoc;
  FunctionLibrary &library;
  Tensors results;
  std::map<size_t, Written> written; ///< written variables, by the index of the operand
  Tensors effects;                   ///< nodes with side effects, which the replaced node must wait for
};

//===----------------------------------------------------------------------===//
// 1. Calls
//===----------------------------------------------------------------------===//

const AttrValue *Lowering::findFunctions(StringRef name) const {
  const AttrValue *value = findAttribute(node, name);
  if (value && (value->has_func() || (value->has_list() && value->list().func_size() > 0)))
    return value;
  error() << "must name its function in attribute '" << name << "', but does not";
  return nullptr;
}

Lowering::Side Lowering::addCall(const std::string &name, const tensorflow::NameAttrList &function, Tensors arguments,
                                 const NodeDef *pivot) {
  Side side{name, nullptr, {}};
  Tensors begun = addOwnVariables(side, arguments);
  arguments.push_back("^" + pivot->name());
  arguments.insert(arguments.end(), begun.begin(), begun.end());
  side.call = add(name, "StatefulPartitionedCall", arguments);
  *addAttribute(*side.call, "f").mutable_func() = function;
  calls.push_back(side.call);
  effects.push_back("^" + side.call->name());
  return side;
}

//===----------------------------------------------------------------------===//
// 2. Branches
//===----------------------------------------------------------------------===//

void Lowering::addMerges(ArrayRef<Side> sides) {
  for (int index = 0, count = countResults(node); index < count; ++index) {
    Tensors given;
    for (const Side &side : sides)
      given.push_back(at(side.call, size_t(index)));
    results.push_back(add("merge_" + std::to_string(index), "Merge", given)->name());
  }
  if (results.empty())
    results.push_back(operands.front());
  for (const auto &[operand, variable] : written) {
    Tensors values;
    for (const Side &side : sides)
      values.push_back(readAfter(side, operand));
    assign(operand, add("written_" + std::to_string(operand), "Merge", values)->name());
  }
}

LogicalResult Lowering::lowerIf() {
  const AttrValue *onTrue = findFunctions("then_branch"), *onFalse = findFunctions("else_branch");
  if (!onTrue || !onFalse)
    return failure();
  std::string predicate = operands.front();
  const AttrValue *type = findAttribute(node, "Tcond");
  if (type && type->type() != tensorflow::DT_BOOL && type->type() != tensorflow::DT_INVALID) {
    NodeDef *cast = add("cond", "Cast", {predicate});
    addAttribute(*cast, "DstT").set_type(tensorflow::DT_BOOL);
    predicate = cast->name();
  }
  NodeDef *pivots = addFirst("pivots", "Switch", {predicate, predicate});
  std::vector<NodeDef *> switches = addSwitches("switch_", {operands.begin() + 1, operands.end()}, predicate);
  Side sides[] = {addCall("else", onFalse->func(), readAll(switches, 0), addPivot("pivot_f", pivots, 0)),
                  addCall("then", onTrue->func(), readAll(switches, 1), addPivot("pivot_t", pivots, 1))};
  addMerges(sides);
  return success();
}

/// Lowers a Case to a test for each branch except the last one, which runs if no other branch is selected.
LogicalResult Lowering::lowerCase() {
  const AttrValue *branches = findFunctions("branches");
  if (!branches)
    return failure();
  int count = branches->list().func_size();
  Tensors values = operands; // the index of the branch and the arguments, on the side where no earlier branch runs
  std::vector<Side> sides;
  NodeDef *pivot = addFirst("pivot", "Identity", {operands.front()});
  for (int branch = 0; branch + 1 < count; ++branch) {
    std::string number = std::to_string(branch);
    NodeDef *asked = add("is_" + number, "Case", {values.front()});
    addAttribute(*asked, "branch").set_i(branch);
    NodeDef *pivots = add("pivots_" + number, "Switch", {asked->name(), asked->name()});
    std::vector<NodeDef *> switches = addSwitches("switch_" + number + "_", values, asked->name());
    Tensors taken = readAll(ArrayRef(switches).drop_front(), 1);
    sides.push_back(
        addCall("branch_" + number, branches->list().func(branch), taken, addPivot("pivot_t_" + number, pivots, 1)));
    pivot = addPivot("pivot_f_" + number, pivots, 0);
    values = readAll(switches, 0);
  }
  sides.push_back(addCall("branch_" + std::to_string(count - 1), branches->list().func(count - 1),
                          {values.begin() + 1, values.end()}, pivot));
  addMerges(sides);
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Loops
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerWhile() {
  const AttrValue *condition = findFunctions("cond"), *body = findFunctions("body");
  if (!condition || !body)
    return failure();
  std::vector<NodeDef *> merges, nexts;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    std::string number = std::to_string(index);
    NodeDef *enter = addFirst("enter_" + number, "Enter", {operand});
    addAttribute(*enter, "frame_name").set_s(node.name());
    nexts.push_back(add("next_" + number, "NextIteration", {}));
    merges.push_back(add("merge_" + number, "Merge", {enter->name(), nexts.back()->name()}));
  }
  NodeDef *asked = addCall("cond", condition->func(), readAll(merges, 0), merges.front()).call;
  NodeDef *goesOn = add("loop_cond", "LoopCond", {asked->name()});
  std::vector<NodeDef *> switches;
  for (auto [index, merge] : llvm::enumerate(merges))
    switches.push_back(add("switch_" + std::to_string(index), "Switch", {merge->name(), goesOn->name()}));
  Side iteration = addCall("body", body->func(), readAll(switches, 1), addPivot("pivot", switches.front(), 1));
  for (auto [index, next] : llvm::enumerate(nexts)) {
    next->add_input(written.count(index) ? readAfter(iteration, index) : at(iteration.call, index));
    results.push_back(add("exit_" + std::to_string(index), "Exit", {switches[index]->name()})->name());
  }
  for (const auto &[operand, variable] : written)
    assign(operand, std::exchange(results[operand], variable.handle));
  return success();
}

//===----------------------------------------------------------------------===//
// 4. Variables
//===----------------------------------------------------------------------===//

/// Adds a node that reads or writes the variable of the operand `operand`, or a function's own copy of the variable.
NodeDef *Lowering::addAccess(const std::string &name, const char *op, const Tensors &read, size_t operand) {
  NodeDef *access = add(name + "_" + std::to_string(operand), op, read);
  if (written[operand].type != tensorflow::DT_INVALID)
    addAttribute(*access, "dtype").set_type(written[operand].type);
  return access;
}

/// Finds the operands that are written variables. A variable that is passed twice, or that a condition writes, stays a
/// handle. This is an error, but only if the node runs (WrittenVariables.h).
void Lowering::findWritten() {
  std::map<size_t, tensorflow::DataType> found;
  for (StringRef function : findCalled(node))
    for (auto [argument, type] : library.findWritten(function))
      found.try_emplace(size_t(argument + countDeciding(node.op())), type);
  if (const AttrValue *condition = findAttribute(node, "cond"))
    for (auto [argument, type] : library.findWritten(condition->func().name()))
      found.erase(size_t(argument));
  for (auto [operand, type] : found)
    if (operand < operands.size() && llvm::count(operands, operands[operand]) == 1)
      written.try_emplace(operand, Written{operands[operand], type});
}

/// Replaces the operands that are written variables by the variables' values before the node.
void Lowering::readWritten() {
  for (const auto &[operand, variable] : written) {
    NodeDef *read = addAccess("before", "ReadVariableOp", {variable.handle}, operand);
    for (const std::string &control : controls)
      read->add_input(control);
    operands[operand] = read->name();
  }
}

/// Creates the call's own copy of each written variable. Assigns the variable's value in `arguments` to the copy, and
/// replaces the value by the copy. Returns control operands that wait for these assignments.
Tensors Lowering::addOwnVariables(Side &side, Tensors &arguments) {
  Tensors begun;
  size_t first = operands.size() - arguments.size();
  for (const auto &[operand, variable] : written) {
    std::string &argument = arguments[operand - first];
    NodeDef *own = addAccess(side.name + "_variable", localVariableOp, {}, operand);
    begun.push_back("^" +
                    addAccess(side.name + "_begin", "AssignVariableOp", {own->name(), argument}, operand)->name());
    argument = own->name();
    side.variables[operand] = own;
  }
  return begun;
}

std::string Lowering::readAfter(const Side &side, size_t operand) {
  Tensors read = {side.variables.at(operand)->name(), "^" + side.call->name()};
  return addAccess(side.name + "_end", "ReadVariableOp", read, operand)->name();
}

void Lowering::assign(size_t operand, const std::string &value) {
  NodeDef *assignment = addAccess("assign", "AssignVariableOp", {written[operand].handle, value}, operand);
  effects.push_back("^" + assignment->name());
}

//===----------------------------------------------------------------------===//
// 5. The replacement
//===----------------------------------------------------------------------===//

/// Replaces the node by an IdentityN of its results. A separate NoOp waits for the side effects. Otherwise, readers of
/// an IdentityN without operands would wait for both sides of a branch.
void Lowering::leaveResults() {
  const AttrValue *types = findAttribute(node, getKind(node.op()) == Kind::While ? "T" : "Tout");
  NodeDef *end = add("effects", "NoOp", effects);
  place.clear_attr();
  place.clear_input();
  place.set_op("IdentityN");
  if (types)
    addAttribute(place, "T") = *types;
  for (const std::string &result : results)
    place.add_input(result);
  place.add_input("^" + end->name());
}

LogicalResult Lowering::lower() {
  Kind kind = getKind(node.op());
  if (operands.empty())
    return error() << "must have an operand that selects its function, but has none";
  findWritten();
  readWritten();
  LogicalResult lowered = kind == Kind::If ? lowerIf() : kind == Kind::Case ? lowerCase() : lowerWhile();
  if (succeeded(lowered))
    leaveResults();
  return lowered;
}

} // namespace

bool isFunctionalControl(StringRef op) { return getKind(op) != Kind::None; }

int countDeciding(StringRef op) { return getKind(op) == Kind::If || getKind(op) == Kind::Case ? 1 : 0; }

FailureOr<SmallVector<NodeDef *>> lowerFunctionalControl(NodeDef &node, Location modelLoc, FunctionLibrary &library,
                                                         llvm::function_ref<NodeDef *(const std::string &)> addNode) {
  Lowering lowering(node, modelLoc, library, addNode);
  if (failed(lowering.lower()))
    return failure();
  return std::move(lowering.calls);
}

} // namespace nacre::importer::tensorflow_format
