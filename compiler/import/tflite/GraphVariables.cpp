// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of a graph.
//
// How:  1. variable tensors, which some operators assign (Operators.h),
//       2. variables with handles, which have their own operators. READ_VARIABLE reads the last assigned value.

#include "compiler/import/tflite/GraphReader.h"
#include "compiler/import/tflite/Operators.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

//===----------------------------------------------------------------------===//
// 1. Tensors
//===----------------------------------------------------------------------===//

KeptVariable &GraphReader::getVariable(size_t tensor) {
  auto [place, isNew] = variableOf.try_emplace(tensor, graph.variables.size());
  StringRef name = graph.tensors[tensor].name;
  if (isNew)
    graph.variables.push_back({tensor, role.suffix.empty() ? name : saver.save(name + role.suffix), name, name, {}});
  return graph.variables[place->second];
}

/// Adds a result to the operator for each variable that it assigns: the variable's new value.
LogicalResult GraphReader::assignVariables(const schema::Operator &op) {
  ArrayRef<int32_t> operands = toArray(op.inputs());
  const size_t number = graph.operators.size();
  const AssignedOperands known =
      getAssignedOperands(getBuiltin(*model.operator_codes()->Get(op.opcode_index())), operands.size());
  auto isVariable = [&](size_t place) {
    return place < operands.size() && operands[place] >= 0 &&
           graph.tensors[operands[place]].state == CheckedTensor::Variable;
  };
  if (!known.areVariables && !llvm::all_of(known.places, isVariable))
    return success();
  for (size_t place : known.places) {
    if (place >= operands.size())
      continue;
    if (!isVariable(place))
      return error(*graph.tensors[toArray(op.outputs())[0]].table)
             << "operand " << place << " must be a variable, because it is the operator's state, but is not";
    KeptVariable &variable = getVariable(operands[place]);
    variable.last = makeName({}, number * 64 + place);
    graph.names[variable.last] = variable.tensor;
    graph.assigned[number].push_back(variable.last);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Handles
//===----------------------------------------------------------------------===//

/// Records a handle. It is not a value, but it tells which variable an operator reads or assigns.
LogicalResult GraphReader::openHandle(const schema::Operator &op) {
  ArrayRef<int32_t> results = toArray(op.outputs());
  const schema::VarHandleOptions *options = op.builtin_options_as_VarHandleOptions();
  if (results.size() != 1 || !options || toText(options->shared_name()).empty())
    return error() << "VAR_HANDLE must have a result and a variable's name, but does not";
  if (failed(readResults(op)))
    return failure();
  CheckedTensor &tensor = graph.tensors[results[0]];
  tensor.state = CheckedTensor::Handle;
  handles[results[0]] = {toText(options->container()), toText(options->shared_name())};
  return success();
}

/// Replaces the handle of READ_VARIABLE or ASSIGN_VARIABLE by the variable's value, operand 0.
LogicalResult GraphReader::useHandle(const schema::Operator &op, bool assigns) {
  ArrayRef<int32_t> operands = toArray(op.inputs()), results = toArray(op.outputs());
  auto handle = operands.empty() || operands[0] < 0 ? handles.end() : handles.find(static_cast<size_t>(operands[0]));
  if (handle == handles.end() || operands.size() != (assigns ? 2 : 1) || results.size() != (assigns ? 0 : 1))
    return error() << (assigns ? "ASSIGN_VARIABLE" : "READ_VARIABLE")
                   << " must have a handle from a VAR_HANDLE of the same graph" << (assigns ? ", and a value" : "")
                   << ", but has another operand";
  if (failed(assigns ? readOperand(operands[1], 1) : readResults(op)))
    return failure();
  const size_t tensor = assigns ? operands[1] : results[0], number = graph.operators.size();
  auto [place, isNew] = variableOfKey.try_emplace(handle->second, graph.variables.size());
  if (isNew) {
    auto [container, name] = handle->second;
    StringRef whole = container.empty() ? name : saver.save(container + "/" + name);
    StringRef first = makeName(whole, number);
    graph.names[first] = tensor;
    graph.variables.push_back({tensor, whole.take_front(longestName), first, first, handle->second});
    graph.valueNames[first] = place->second;
  }
  KeptVariable &variable = graph.variables[place->second];
  graph.reads[{number, 0}] = variable.last;
  graph.named[number] = place->second;
  if (assigns) {
    variable.last = makeName(variable.name, number);
    graph.names[variable.last] = tensor;
    graph.valueNames[variable.last] = place->second;
    graph.assigned[number].push_back(variable.last);
  }
  graph.operators.push_back(&op);
  return success();
}

/// Records a graph that runs once, before all other operators, to initialize variables.
LogicalResult GraphReader::noteInitializer(const schema::Operator &op) {
  const schema::CallOnceOptions *options = op.builtin_options_as_CallOnceOptions();
  if (!options || !toArray(op.inputs()).empty() || !toArray(op.outputs()).empty() ||
      llvm::any_of(graph.variables,
                   [](const KeptVariable &variable) { return variable.hasHandle() && variable.isAssigned(); }))
    return error() << "CALL_ONCE must name a graph without operands and results and precede all assignments to "
                      "variables, but does not";
  graph.initializers.push_back(options->init_subgraph_index());
  return success();
}

/// Reports an error if two variables have the same name, because entries share variables by name.
LogicalResult GraphReader::checkVariableNames() {
  if (graph.variables.size() > mostPorts)
    return error() << "must have at most " << mostPorts << " variables, but has more";
  llvm::DenseSet<StringRef> known;
  for (const KeptVariable &variable : graph.variables)
    if (!known.insert(variable.name).second)
      return error(variable.name) << "two variables have this name; rename one";
  return success();
}

} // namespace nacre::importer::tflite_format
