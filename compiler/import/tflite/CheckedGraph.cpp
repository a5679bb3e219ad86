// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks one graph of a TensorFlow Lite model.
//
// How:  1. tensors: shapes, bytes, names,
//       2. inputs,
//       3. operators, which are computed in the order of the file,
//       4. outputs, and inputs whose values the model itself contains.

#include "compiler/import/tflite/GraphReader.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tflite/TensorBytes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

SmallVector<int64_t> CheckedTensor::getOpenShape() const {
  return table->shape_signature() ? llvm::to_vector_of<int64_t>(toArray(table->shape_signature())) : getShape();
}

//===----------------------------------------------------------------------===//
// 1. Tensors
//===----------------------------------------------------------------------===//

LogicalResult GraphReader::readTensors(const schema::SubGraph &table) {
  // Tables may be shared, so the size of the file limits the number of tensors: one for each `fewestBytes` bytes.
  constexpr size_t fewestBytes = 32, few = 64;
  const size_t count = table.tensors() ? table.tensors()->size() : 0;
  if (count > few + file.size() / fewestBytes)
    return error() << "must have at most " << few + file.size() / fewestBytes << " tensors, because the file has "
                   << describeCount(file.size(), "byte") << ", but has " << count;
  graph.tensors.reserve(count);
  for (size_t index = 0; index < count; ++index) {
    const schema::Tensor &tensor = *table.tensors()->Get(index);
    auto report = [&] { return error(tensor); };
    if (failed(checkSizes(tensor, report)))
      return failure();
    FailureOr<ArrayRef<char>> bytes = findBytes(model, tensor, file, report);
    if (failed(bytes))
      return failure();
    CheckedTensor &checked = graph.tensors.emplace_back();
    checked.table = &tensor;
    checked.bytes = *bytes;
    checked.state = !bytes->empty() || tensor.external_buffer() ? CheckedTensor::Constant
                    : tensor.is_variable()                      ? CheckedTensor::Variable
                                                                : CheckedTensor::Unknown;
    if (!bytes->empty() && failed(checkBytes(tensor, *bytes, loc.getContext(), report)))
      return failure();
  }
  return success();
}

StringRef GraphReader::makeName(StringRef wanted, size_t number) {
  wanted = wanted.take_front(longestName);
  if (!wanted.empty() && !graph.names.contains(wanted) && !ports.contains(wanted))
    return wanted;
  // Only a few bytes of the name are copied, because many tensors may share one name in the file.
  constexpr size_t enough = 40;
  std::string base = (wanted.empty() ? "tensor" : wanted.take_front(enough)).str() + "#";
  std::string name = base + std::to_string(number);
  while (graph.names.contains(name) || ports.contains(name))
    name += "#";
  return saver.save(name);
}

void GraphReader::name(size_t index, StringRef wanted) {
  CheckedTensor &tensor = graph.tensors[index];
  if (!tensor.name.empty())
    return;
  tensor.name = makeName(wanted, index);
  graph.names[tensor.name] = index;
}

//===----------------------------------------------------------------------===//
// 2. Inputs
//===----------------------------------------------------------------------===//

StringRef GraphReader::nameOf(Names names, int32_t index, StringRef own) {
  for (const schema::TensorMap *entry : *names)
    if (entry->tensor_index() == static_cast<uint32_t>(index) && !toText(entry->name()).empty())
      return toText(entry->name());
  return own;
}

LogicalResult GraphReader::readInputs(const schema::SubGraph &table) {
  ArrayRef<int32_t> inputs = toArray(table.inputs());
  Names names = role.signature ? role.signature->inputs() : nullptr;
  if (inputs.size() > mostPorts || (names && names->size() > mostPorts))
    return error() << "must have at most " << mostPorts << " inputs, but has " << inputs.size();
  for (int32_t index : inputs) {
    if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())
      return error() << "an input must be one of " << graph.tensors.size() << " tensors, but is " << index;
    CheckedTensor &tensor = graph.tensors[index];
    if (tensor.state != CheckedTensor::Unknown)
      return error(*tensor.table) << "an input must be listed once and must not have a value in the model";
    tensor.state = CheckedTensor::Input;
    StringRef own = toText(tensor.table->name());
    name(index, names ? nameOf(names, index, own) : own);
    graph.inputs.push_back({tensor.name, tensor.name, static_cast<size_t>(index)});
    graph.hasOpenInputs |= llvm::is_contained(tensor.getOpenShape(), -1);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Operators
//===----------------------------------------------------------------------===//

LogicalResult GraphReader::readOperand(int32_t index, size_t place) {
  if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())
    return error() << "an operator must read one of " << graph.tensors.size() << " tensors, but reads " << index;
  CheckedTensor &tensor = graph.tensors[index];
  if (tensor.state == CheckedTensor::Unknown && *nn::countElements(tensor.getShape()) == 0)
    tensor.state = CheckedTensor::Constant;
  if (tensor.state == CheckedTensor::Unknown)
    return error(*tensor.table) << "must be computed before it is read, unless it is an input or a constant";
  if (tensor.state == CheckedTensor::Handle)
    return error(*tensor.table) << "is a variable handle, which only READ_VARIABLE and ASSIGN_VARIABLE may use, but is "
                                   "another operator's operand";
  name(index, toText(tensor.table->name()));
  if (tensor.state == CheckedTensor::Variable)
    graph.reads[{graph.operators.size(), place}] = getVariable(index).last;
  return success();
}

LogicalResult GraphReader::readOperands(const schema::Operator &op) {
  for (auto [place, index] : llvm::enumerate(toArray(op.inputs())))
    if (index != -1 && failed(readOperand(index, place)))
      return failure();
  return success();
}

/// Checks the intermediate tensors that an operator lists. Their number is limited, because operators may share a list.
LogicalResult GraphReader::checkIntermediates(const schema::Operator &op) {
  constexpr size_t most = 64;
  ArrayRef<int32_t> list = toArray(op.intermediates());
  auto isTensor = [&](int32_t index) { return index >= -1 && index < static_cast<int64_t>(graph.tensors.size()); };
  if (list.size() <= most && llvm::all_of(list, isTensor))
    return success();
  return error() << "an operator must have at most " << most << " intermediate tensors, all among the "
                 << graph.tensors.size() << " of the graph, but does not";
}

LogicalResult GraphReader::readResults(const schema::Operator &op) {
  if (toArray(op.outputs()).empty())
    return error() << "an operator must have a result, but one has none";
  for (int32_t index : toArray(op.outputs())) {
    if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())
      return error() << "an operator must compute one of " << graph.tensors.size() << " tensors, but computes "
                     << index;
    CheckedTensor &tensor = graph.tensors[index];
    if (tensor.state != CheckedTensor::Unknown)
      return error(*tensor.table) << "must be computed once, and must not also be an input or a constant";
    tensor.state = CheckedTensor::Computed;
    name(index, toText(tensor.table->name()));
  }
  return success();
}

LogicalResult GraphReader::readOperator(const schema::Operator &op) {
  switch (getBuiltin(*model.operator_codes()->Get(op.opcode_index()))) {
  case schema::BuiltinOperator_VAR_HANDLE:
    return openHandle(op);
  case schema::BuiltinOperator_CALL_ONCE:
    return noteInitializer(op);
  case schema::BuiltinOperator_READ_VARIABLE:
    return useHandle(op, /*assigns=*/false);
  case schema::BuiltinOperator_ASSIGN_VARIABLE:
    return useHandle(op, /*assigns=*/true);
  default:
    break;
  }
  // Operands are checked before results exist, so an operator that reads its own result is an error.
  if (failed(readOperands(op)) || failed(readResults(op)) || failed(checkIntermediates(op)) ||
      failed(assignVariables(op)))
    return failure();
  graph.operators.push_back(&op);
  return success();
}

LogicalResult GraphReader::readOperators(const schema::SubGraph &table) {
  const size_t codes = model.operator_codes() ? model.operator_codes()->size() : 0;
  const size_t count = table.operators() ? table.operators()->size() : 0;
  size_t operands = 0;
  for (size_t index = 0; index < count; ++index) {
    const schema::Operator &op = *table.operators()->Get(index);
    if (op.opcode_index() >= codes)
      return error() << "an operator must be one of the model's " << codes << ", but is " << op.opcode_index();
    operands += toArray(op.inputs()).size();
    if (operands > file.size() / sizeof(int32_t))
      return error() << "operators must not share their operand lists";
    if (failed(readOperator(op)))
      return failure();
  }
  return checkVariableNames();
}

//===----------------------------------------------------------------------===//
// 4. Outputs
//===----------------------------------------------------------------------===//

/// Removes inputs that are only the shape of a transposed convolution's result. Some converters add such inputs,
/// although the file contains the shape.
void GraphReader::takeShapes() {
  llvm::DenseMap<int32_t, size_t> readers;
  for (const schema::Operator *op : graph.operators)
    for (int32_t index : toArray(op->inputs()))
      ++readers[index];
  for (const schema::Operator *op : graph.operators) {
    bool isTransposed =
        getBuiltin(*model.operator_codes()->Get(op->opcode_index())) == schema::BuiltinOperator_TRANSPOSE_CONV;
    ArrayRef<int32_t> operands = toArray(op->inputs());
    if (!isTransposed || operands.empty() || operands[0] < 0 || readers[operands[0]] != 1)
      continue;
    CheckedTensor &tensor = graph.tensors[operands[0]];
    const CheckedTensor &result = graph.tensors[toArray(op->outputs())[0]];
    bool isList = tensor.table->type() == schema::TensorType_INT32 && tensor.getShape().size() == 1 &&
                  tensor.getShape()[0] == static_cast<int64_t>(result.getShape().size());
    if (tensor.state != CheckedTensor::Input || !isList || llvm::is_contained(result.getOpenShape(), -1))
      continue;
    tensor.state = CheckedTensor::ItsShape;
    llvm::erase_if(graph.inputs, [&](const GraphPort &port) { return port.name == tensor.name; });
    emitRemark(NameLoc::get(StringAttr::get(loc.getContext(), tensor.name), loc))
        << "is not an input: it is the shape of a transposed convolution's result, which the model states";
  }
}

LogicalResult GraphReader::readOutputs(const schema::SubGraph &table) {
  ArrayRef<int32_t> outputs = toArray(table.outputs());
  Names names = role.signature ? role.signature->outputs() : nullptr;
  if (outputs.size() > mostPorts || (names && names->size() > mostPorts))
    return error() << "must have at most " << mostPorts << " outputs, but has " << outputs.size();
  if (outputs.empty() && !role.runsOnce)
    return error() << "must have an output, but has none";
  for (int32_t index : outputs) {
    if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())
      return error() << "an output must be one of " << graph.tensors.size() << " tensors, but is " << index;
    CheckedTensor &tensor = graph.tensors[index];
    if (tensor.state == CheckedTensor::Unknown || tensor.state == CheckedTensor::Handle)
      return error(*tensor.table) << "must be computed, because it is an output";
    name(index, toText(tensor.table->name()));
  }
  if (!role.isBody)
    takeShapes();
  for (const GraphPort &input : graph.inputs)
    ports.insert(input.name);
  for (int32_t index : outputs) {
    StringRef own = graph.tensors[index].name;
    StringRef wanted = (names ? nameOf(names, index, own) : own).take_front(longestName);
    // An output may have the same name as an inner tensor, because users of the model never see inner tensors.
    StringRef name = ports.contains(wanted) ? makeName(wanted, index) : wanted;
    ports.insert(name);
    StringRef source = graph.tensors[index].state == CheckedTensor::Variable ? StringRef(getVariable(index).last) : own;
    graph.outputs.push_back({name, source, static_cast<size_t>(index)});
  }
  return success();
}

FailureOr<std::unique_ptr<CheckedGraph>> CheckedGraph::read(const schema::Model &model, const schema::SubGraph &graph,
                                                            const Role &role, StringRef file, Location loc) {
  auto checked = std::make_unique<CheckedGraph>();
  if (failed(GraphReader(model, role, file, loc, *checked).read(graph)))
    return failure();
  return checked;
}

} // namespace nacre::importer::tflite_format
