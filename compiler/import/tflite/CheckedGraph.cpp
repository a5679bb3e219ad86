// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One graph of a TensorFlow Lite model, checked.
//
// How:  1. tensors: shapes, bytes, names,
//       2. inputs,
//       3. operators, in the file's order, which is that of computation,
//       4. outputs, and inputs that the model itself knows.

#include "compiler/import/tflite/CheckedGraph.h"

#include "compiler/import/Import.h"
#include "compiler/import/TypeNames.h"
#include "compiler/import/tflite/Operators.h"
#include "dialects/nn/ShapeRules.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

/// Longer names are cut: they may be shared, and are hashed.
static constexpr size_t longestName = 200;

SmallVector<int64_t> CheckedTensor::getOpenShape() const {
  return table->shape_signature() ? llvm::to_vector_of<int64_t>(toArray(table->shape_signature())) : getShape();
}

class GraphReader {
public:
  GraphReader(const schema::Model &model, const CheckedGraph::Role &role, StringRef file, Location loc,
              CheckedGraph &graph)
      : model(model), role(role), file(file), loc(loc), graph(graph), saver(graph.allocator) {}

  LogicalResult read(const schema::SubGraph &table) {
    return success(succeeded(readTensors(table)) && succeeded(readInputs(table)) && succeeded(readOperators(table)) &&
                   succeeded(readOutputs(table)));
  }

private:
  using Names = const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>> *;

  LogicalResult readTensors(const schema::SubGraph &table);

  FailureOr<ArrayRef<char>> findBytes(const schema::Tensor &tensor);
  LogicalResult checkBytes(const CheckedTensor &tensor);
  LogicalResult readInputs(const schema::SubGraph &table);
  LogicalResult readOperators(const schema::SubGraph &table);
  LogicalResult readOperands(const schema::Operator &op);
  LogicalResult readResults(const schema::Operator &op);
  LogicalResult checkIntermediates(const schema::Operator &op);
  LogicalResult readOutputs(const schema::SubGraph &table);
  void takeShapes();
  KeptVariable &getVariable(size_t tensor);
  LogicalResult assignVariables(const schema::Operator &op);

  /// The name that the list gives the tensor, or its own.
  static StringRef nameOf(Names names, int32_t index, StringRef own);
  /// `wanted`, or where that is taken or empty a name like it.
  StringRef makeName(StringRef wanted, size_t number);
  void name(size_t index, StringRef wanted);

  InFlightDiagnostic error() { return emitError(loc); }
  InFlightDiagnostic error(const schema::Tensor &tensor) { return error(toText(tensor.name())); }
  InFlightDiagnostic error(StringRef name) {
    return emitError(NameLoc::get(StringAttr::get(loc.getContext(), name.take_front(longestName)), loc));
  }

  const schema::Model &model;
  const CheckedGraph::Role &role;
  StringRef file;
  Location loc;
  CheckedGraph &graph;
  llvm::StringSaver saver;
  llvm::DenseSet<StringRef> ports;           ///< names of inputs and outputs
  llvm::DenseMap<size_t, size_t> variableOf; ///< tensors
};

//===----------------------------------------------------------------------===//
// 1. Tensors
//===----------------------------------------------------------------------===//

/// Reports an error of `emit` unless the sizes of the tensor are some.
template <typename Emit> static LogicalResult checkSizes(const schema::Tensor &tensor, Emit emit) {
  ArrayRef<int32_t> stored = toArray(tensor.shape()), open = toArray(tensor.shape_signature());
  if (stored.size() > maxRank)
    return emit() << "must have at most " << maxRank << " dimensions, but has " << stored.size();
  SmallVector<int64_t> shape = llvm::to_vector_of<int64_t>(stored);
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }) || !nn::countElements(shape))
    return emit() << "must have a shape of sizes that fit into memory, but has [" << stored << "]";
  if (!tensor.shape_signature())
    return success();
  bool agrees = stored.size() == open.size();
  for (auto [size, known] : llvm::zip(stored, open))
    agrees &= known == -1 || known == size;
  if (!agrees)
    return emit() << "must have a signature of its shape [" << stored << "] where only -1 differs, but has [" << open
                  << "]";
  return success();
}

/// The bytes of the tensor's buffer, which may lie behind the tables; none where it has none.
FailureOr<ArrayRef<char>> GraphReader::findBytes(const schema::Tensor &tensor) {
  const size_t buffers = model.buffers() ? model.buffers()->size() : 0;
  if (tensor.buffer() == 0 && buffers == 0)
    return ArrayRef<char>();
  if (tensor.buffer() >= buffers)
    return error(tensor) << "must name one of " << buffers << " buffers, but names " << tensor.buffer();
  const schema::Buffer &buffer = *model.buffers()->Get(tensor.buffer());
  if (buffer.data())
    return ArrayRef(reinterpret_cast<const char *>(buffer.data()->Data()), buffer.data()->size());
  if (buffer.offset() <= 1)
    return ArrayRef<char>();
  if (buffer.offset() > file.size() || buffer.size() > file.size() - buffer.offset())
    return error(tensor) << "must have its bytes in the file, but has " << buffer.size() << " at " << buffer.offset()
                         << ", and the file has " << file.size();
  return ArrayRef(file.data() + buffer.offset(), buffer.size());
}

/// A constant must be as many bytes as its shape says.
LogicalResult GraphReader::checkBytes(const CheckedTensor &tensor) {
  Type type = toElementType(tensor.table->type(), loc.getContext());
  if (!type || tensor.table->sparsity())
    return success(); // refused where it is read
  int64_t bits, count = *nn::countElements(tensor.getShape()),
                width = type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
  if (llvm::MulOverflow(count, width, bits) || llvm::divideCeil(static_cast<uint64_t>(bits), 8) != tensor.bytes.size())
    return error(*tensor.table) << "must have as many bytes as " << getTypeName(type) << "["
                                << describeShape(tensor.getShape()) << "] takes, but has " << tensor.bytes.size();
  return success();
}

LogicalResult GraphReader::readTensors(const schema::SubGraph &table) {
  // A tensor with a name, which has to have one to be told from others, takes more.
  constexpr size_t fewestBytes = 32, few = 64;
  const size_t count = table.tensors() ? table.tensors()->size() : 0;
  if (count > few + file.size() / fewestBytes)
    return error() << "must have at most " << few + file.size() / fewestBytes << " tensors, since the file has "
                   << file.size() << " bytes, but has " << count;
  graph.tensors.reserve(count);
  for (size_t index = 0; index < count; ++index) {
    const schema::Tensor &tensor = *table.tensors()->Get(index);
    if (failed(checkSizes(tensor, [&] { return error(tensor); })))
      return failure();
    FailureOr<ArrayRef<char>> bytes = findBytes(tensor);
    if (failed(bytes))
      return failure();
    CheckedTensor &checked = graph.tensors.emplace_back();
    checked.table = &tensor;
    checked.bytes = *bytes;
    checked.state = !bytes->empty() || tensor.external_buffer() ? CheckedTensor::Constant
                    : tensor.is_variable()                      ? CheckedTensor::Variable
                                                                : CheckedTensor::Unknown;
    if (!bytes->empty() && failed(checkBytes(checked)))
      return failure();
  }
  return success();
}

StringRef GraphReader::makeName(StringRef wanted, size_t number) {
  wanted = wanted.take_front(longestName);
  if (!wanted.empty() && !graph.names.contains(wanted) && !ports.contains(wanted))
    return wanted;
  // Few bytes, because the file may have the name once.
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

/// Every loop over ports stays short.
static constexpr size_t mostPorts = 4096;

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
      return error(*tensor.table) << "an input must be named once and have no value in the model";
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

LogicalResult GraphReader::readOperands(const schema::Operator &op) {
  for (auto [place, index] : llvm::enumerate(toArray(op.inputs()))) {
    if (index == -1)
      continue;
    if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())
      return error() << "an operator must read one of " << graph.tensors.size() << " tensors, but reads " << index;
    CheckedTensor &tensor = graph.tensors[index];
    if (tensor.state == CheckedTensor::Unknown && *nn::countElements(tensor.getShape()) == 0)
      tensor.state = CheckedTensor::Constant;
    if (tensor.state == CheckedTensor::Unknown)
      return error(*tensor.table) << "must be computed before it is read, or be an input or a constant";
    name(index, toText(tensor.table->name()));
    if (tensor.state == CheckedTensor::Variable)
      graph.reads[{graph.operators.size(), place}] = getVariable(index).last;
  }
  return success();
}

/// What an operator says of numbers that it computes on the way; a few, since lists may be shared.
LogicalResult GraphReader::checkIntermediates(const schema::Operator &op) {
  constexpr size_t most = 64;
  ArrayRef<int32_t> list = toArray(op.intermediates());
  auto isTensor = [&](int32_t index) { return index >= -1 && index < static_cast<int64_t>(graph.tensors.size()); };
  if (list.size() <= most && llvm::all_of(list, isTensor))
    return success();
  return error() << "an operator must have at most " << most << " intermediate tensors, all of them of the "
                 << graph.tensors.size() << " of the graph, but has others";
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
      return error(*tensor.table) << "must be computed once, and not be an input or a constant as well";
    tensor.state = CheckedTensor::Computed;
    name(index, toText(tensor.table->name()));
  }
  return success();
}

KeptVariable &GraphReader::getVariable(size_t tensor) {
  auto [place, isNew] = variableOf.try_emplace(tensor, graph.variables.size());
  StringRef name = graph.tensors[tensor].name;
  if (isNew)
    graph.variables.push_back({tensor, role.suffix.empty() ? name : saver.save(name + role.suffix), name, name});
  return graph.variables[place->second];
}

/// Behind its results an operator computes what becomes of the variables that it assigns.
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
             << "operand " << place << " must be a variable, since it is the operator's state, but is none";
    KeptVariable &variable = getVariable(operands[place]);
    variable.last = makeName({}, number * 64 + place);
    graph.names[variable.last] = variable.tensor;
    graph.assigned[number].push_back(variable.last);
  }
  if (graph.variables.size() > mostPorts)
    return error() << "must have at most " << mostPorts << " variables, but has more";
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
      return error() << "operators must read as few tensors as the file names, but share their lists";
    // Read before they are computed: an operator that reads its own result is a mistake.
    if (failed(readOperands(op)) || failed(readResults(op)) || failed(checkIntermediates(op)) ||
        failed(assignVariables(op)))
      return failure();
    graph.operators.push_back(&op);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 4. Outputs
//===----------------------------------------------------------------------===//

/// The shape that a transposed convolution is given must be that of its result, which the file states: where it is an input,
/// as some converters leave it, it is none.
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
        << "is the shape of what a transposed convolution computes, which the model states, and so no input";
  }
}

LogicalResult GraphReader::readOutputs(const schema::SubGraph &table) {
  ArrayRef<int32_t> outputs = toArray(table.outputs());
  Names names = role.signature ? role.signature->outputs() : nullptr;
  if (outputs.size() > mostPorts || (names && names->size() > mostPorts))
    return error() << "must have at most " << mostPorts << " outputs, but has " << outputs.size();
  if (outputs.empty())
    return error() << "must have an output, but has none";
  for (int32_t index : outputs) {
    if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size())
      return error() << "an output must be one of " << graph.tensors.size() << " tensors, but is " << index;
    CheckedTensor &tensor = graph.tensors[index];
    if (tensor.state == CheckedTensor::Unknown)
      return error(*tensor.table) << "must be computed, since it is an output";
    name(index, toText(tensor.table->name()));
  }
  if (!role.isBody)
    takeShapes();
  for (const GraphPort &input : graph.inputs)
    ports.insert(input.name);
  for (int32_t index : outputs) {
    StringRef own = graph.tensors[index].name;
    StringRef wanted = (names ? nameOf(names, index, own) : own).take_front(longestName);
    // An output may be called as another tensor that whoever runs the model never sees.
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
