// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the bytes of a TensorFlow Lite model to a checked view.
//
// How:  1. verify the tables, 2. choose the graphs, 3. read constants on demand.

#include "compiler/import/tflite/Reader.h"

#include "compiler/import/tflite/Operators.h"
#include "compiler/import/tflite/SparseTensor.h"
#include "dialects/PrintableText.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;

namespace nacre::importer::tflite_format {

//===----------------------------------------------------------------------===//
// 1. Tables
//===----------------------------------------------------------------------===//

LogicalResult TfliteModel::verify() {
  // Offsets count from the beginning of the file, so data that are aligned in the file must be aligned in memory.
  const llvm::Align alignment(16);
  if (!llvm::isAddrAligned(alignment, bytes->getBufferStart()))
    bytes = llvm::MemoryBuffer::getMemBufferCopy(bytes->getBuffer());
  const auto *begin = reinterpret_cast<const uint8_t *>(bytes->getBufferStart());
  // Size of the part with tables. Large models have more data after this part, and tables refer to it by its offset in
  // the file.
  const size_t size = std::min<size_t>(bytes->getBufferSize(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier::Options options;
  options.max_depth = 16;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(std::min<size_t>(1000000, size / 8));
  flatbuffers::Verifier verifier(begin, size, options);
  if (!schema::VerifyModelBuffer(verifier))
    return emitError(loc) << "the model's tables point outside of the file; export or download it again";
  root = schema::GetModel(begin);
  constexpr uint32_t version = 3;
  if (root->version() != version)
    return emitError(loc) << "must have version " << version << " of TensorFlow Lite's format, but has version "
                          << root->version();
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Graphs
//===----------------------------------------------------------------------===//

/// Returns the signatures that the options name, or the default signature. For a model without signatures, the result
/// contains null.
FailureOr<SmallVector<const schema::SignatureDef *>> TfliteModel::chooseSignatures(const ImportOptions &options) {
  SmallVector<const schema::SignatureDef *> all, chosen;
  constexpr size_t most = 4096; // each option is compared with all signatures
  for (size_t index = 0; root->signature_defs() && index < std::min<size_t>(root->signature_defs()->size(), most);
       ++index)
    all.push_back(root->signature_defs()->Get(index));
  auto find = [&](StringRef key) {
    auto *found = llvm::find_if(all, [&](auto *signature) { return toText(signature->signature_key()) == key; });
    return found == all.end() ? nullptr : *found;
  };
  for (const std::string &name : options.signatures) {
    const schema::SignatureDef *signature = find(name);
    if (!signature) {
      InFlightDiagnostic error = emitError(loc) << "--signature must name a signature of the model, but names '" << name
                                                << "'; it has" << (all.empty() ? " none" : "");
      constexpr size_t mostShown = 16;
      for (const schema::SignatureDef *known : ArrayRef(all).take_front(mostShown))
        error << " '" << toPrintable(toText(known->signature_key()).take_front(200)) << "'";
      return error;
    }
    if (llvm::is_contained(chosen, signature))
      return emitError(loc) << "--signature must name each signature once, but names '" << name << "' twice";
    chosen.push_back(signature);
  }
  if (!chosen.empty())
    return chosen;
  const schema::SignatureDef *usual = find("serving_default");
  chosen.push_back(usual || all.empty() ? usual : all.front());
  if (all.size() > 1)
    emitRemark(loc) << "the model has " << all.size() << " signatures; '"
                    << toPrintable(toText(chosen.front()->signature_key()).take_front(200))
                    << "' is compiled; choose others with --signature";
  return chosen;
}

FailureOr<std::unique_ptr<CheckedGraph>> TfliteModel::readGraph(int64_t index, const CheckedGraph::Role &role) {
  const int64_t graphs = root->subgraphs() ? root->subgraphs()->size() : 0;
  if (index < 0 || index >= graphs)
    return emitError(loc) << "must have a graph " << index << ", but has " << graphs;
  const schema::SubGraph &table = *root->subgraphs()->Get(static_cast<uint32_t>(index));
  listed += (table.tensors() ? table.tensors()->size() : 0) + (table.operators() ? table.operators()->size() : 0);
  if (listed > bytes->getBufferSize())
    return emitError(loc) << "graphs must not share their lists of tensors and operators";
  return CheckedGraph::read(*root, table, role, bytes->getBuffer(), loc);
}

LogicalResult TfliteModel::readEntries(const ImportOptions &options) {
  FailureOr<SmallVector<const schema::SignatureDef *>> signatures = chooseSignatures(options);
  if (failed(signatures))
    return failure();
  std::optional<uint32_t> first;
  for (const schema::SignatureDef *signature : *signatures) {
    const uint32_t index = signature ? signature->subgraph_index() : 0;
    CheckedGraph::Role role{signature};
    if (first.value_or(index) != index)
      role.suffix = "#" + std::to_string(index);
    first = first.value_or(index);
    FailureOr<std::unique_ptr<CheckedGraph>> graph = readGraph(index, role);
    if (failed(graph))
      return failure();
    SmallVector<int32_t> around{static_cast<int32_t>(index)};
    if (failed(readBodies(**graph, around)))
      return failure();
    StringRef name = signatures->size() > 1 ? toText(signature->signature_key()) : StringRef();
    entries.push_back({name, std::move(*graph)});
  }
  return success();
}

/// Reads the graphs of branches and loops, and returns their nesting depth. Reports an error if a graph contains
/// itself.
FailureOr<size_t> TfliteModel::readBodies(const CheckedGraph &graph, SmallVectorImpl<int32_t> &around) {
  constexpr size_t deepest = 16;
  size_t depth = 0;
  for (const schema::Operator *op : graph.getOperators())
    for (const BodyOfOperator &nested : getBodies(getBuiltin(*op), *op)) {
      if (llvm::is_contained(around, nested.graph) || around.size() > deepest)
        return emitError(loc) << "branches and loops must nest at most " << deepest << " deep, but graph "
                              << nested.graph << " nests deeper, or contains itself";
      auto known = bodies.find(nested.graph);
      if (known == bodies.end()) {
        FailureOr<Body> body = readBody(nested.graph, around);
        if (failed(body))
          return failure();
        known = bodies.emplace(nested.graph, std::move(*body)).first;
      }
      depth = std::max(depth, known->second.depth + 1);
    }
  if (depth > deepest)
    return emitError(loc) << "branches and loops must nest at most " << deepest << " deep, but nest " << depth
                          << " deep";
  return depth;
}

/// Reads the graphs that run once. Reports an error if they do anything but initialize variables.
LogicalResult TfliteModel::readInitials() {
  std::set<int32_t> indices;
  for (const Entry &entry : entries)
    for (int32_t index : entry.graph->getInitializers())
      indices.insert(index);
  for (int32_t index : indices) {
    CheckedGraph::Role role;
    role.runsOnce = true;
    FailureOr<std::unique_ptr<CheckedGraph>> read = readGraph(index, role);
    if (failed(read))
      return failure();
    const CheckedGraph &graph = *initializers.emplace_back(std::move(*read));
    auto isPlain = [&](size_t op) {
      ArrayRef<int32_t> operands = toArray(graph.getOperators()[op]->inputs());
      return getBuiltin(*graph.getOperators()[op]) == schema::BuiltinOperator_ASSIGN_VARIABLE &&
             graph.getTensor(operands[1]).state == CheckedTensor::Constant;
    };
    if (!graph.getInitializers().empty() || !llvm::all_of(llvm::seq(graph.getOperators().size()), isPlain))
      return emitError(loc) << "CALL_ONCE must only assign constants to variables, but graph " << index << " does more";
    for (size_t op = 0; op < graph.getOperators().size(); ++op) {
      const CheckedTensor &tensor = graph.getTensor(toArray(graph.getOperators()[op]->inputs())[1]);
      FailureOr<ElementsAttr> value =
          readConstant(tensor, NameLoc::get(StringAttr::get(loc.getContext(), tensor.name), loc));
      if (failed(value))
        return failure();
      initials[graph.getKey(op)] = {tensor, *value};
    }
  }
  for (const Entry &entry : entries)
    for (const KeptVariable &variable : entry.graph->getVariables()) {
      if (variable.hasHandle() && variable.isAssigned())
        assigned.insert(variable.key);
    }
  for (const Entry &entry : entries)
    for (const KeptVariable &variable : entry.graph->getVariables())
      if (isConstant(variable) && !getInitial(variable))
        return emitError(NameLoc::get(StringAttr::get(loc.getContext(), variable.name), loc))
               << "must be assigned by CALL_ONCE, because nothing else assigns the variable";
  return success();
}

FailureOr<TfliteModel::Body> TfliteModel::readBody(int32_t index, SmallVectorImpl<int32_t> &around) {
  FailureOr<std::unique_ptr<CheckedGraph>> graph = readGraph(index, {nullptr, /*isBody=*/true});
  if (failed(graph))
    return failure();
  if (!(*graph)->getVariables().empty() || !(*graph)->getInitializers().empty())
    return emitError(loc) << "a branch or a loop must not assign variables, but graph " << index
                          << " does; return the new values and assign them outside";
  around.push_back(index);
  FailureOr<size_t> depth = readBodies(**graph, around);
  around.pop_back();
  if (failed(depth))
    return failure();
  return Body{std::move(*graph), *depth};
}

int32_t TfliteModel::getBuiltin(const schema::Operator &op) const {
  return tflite_format::getBuiltin(*root->operator_codes()->Get(op.opcode_index()));
}

OperatorName TfliteModel::getName(const schema::Operator &op) const {
  const schema::OperatorCode &code = *root->operator_codes()->Get(op.opcode_index());
  const int32_t number = getBuiltin(op);
  OperatorName result{"unknown", std::max(code.version(), 1)};
  if (number == schema::BuiltinOperator_CUSTOM)
    result.name = toText(code.custom_code()).take_front(200);
  else if (number >= schema::BuiltinOperator_MIN && number <= schema::BuiltinOperator_MAX)
    result.name = schema::EnumNameBuiltinOperator(static_cast<schema::BuiltinOperator>(number));
  return result;
}

//===----------------------------------------------------------------------===//
// 3. Constants
//===----------------------------------------------------------------------===//

/// Returns all elements of a sparse tensor. Their size counts towards the limit for sparse constants.
FailureOr<ElementsAttr> TfliteModel::readSparse(const CheckedTensor &tensor, Type type, Location at) {
  const int64_t count = *nn::countElements(tensor.getShape()),
                width = type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
  int64_t bits;
  if (width < 8 || llvm::MulOverflow(count, width, bits) || bits / 8 > sparseBudget)
    return emitError(at)
           << "sparse tensors must have elements of at least one byte and stay within --max-constant, but do not";
  sparseBudget -= bits / 8;
  FailureOr<std::vector<char>> expanded =
      expandSparse(*tensor.table, tensor.bytes, static_cast<size_t>(width) / 8, [&] { return emitError(at); });
  if (failed(expanded))
    return failure();
  FileBytes owner = llvm::MemoryBuffer::getMemBufferCopy({expanded->data(), expanded->size()});
  return makeConstant({RankedTensorType::get(tensor.getShape(), type),
                       ArrayRef(owner->getBufferStart(), owner->getBufferSize()), owner},
                      tensor.name);
}

FailureOr<ElementsAttr> TfliteModel::readConstant(const CheckedTensor &tensor, Location at) {
  Type type = toElementType(tensor.table->type(), at.getContext());
  if (!type)
    return emitError(at) << "has the element type '" << getWord(tensor.table->type()) << "', which is not supported";
  if (tensor.table->external_buffer())
    return emitError(at) << "must be stored in the model's file, but is in another, which is not supported";
  if (tensor.table->sparsity())
    return readSparse(tensor, type, at);
  // Tensors may share a buffer, and small buffers are copied, so their total size is limited.
  copiedBytes += std::min<size_t>(tensor.bytes.size(), 4096);
  constexpr uint64_t spare = uint64_t(16) << 20;
  if (copiedBytes > bytes->getBufferSize() + spare)
    return emitError(at)
           << "constants share their bytes so often that they exceed the file's size; export the model again";
  return makeConstant({RankedTensorType::get(tensor.getShape(), type), tensor.bytes, bytes}, tensor.name);
}

FailureOr<std::unique_ptr<TfliteModel>> TfliteModel::read(const ModelFile &file, const ImportOptions &options,
                                                          MLIRContext *context) {
  std::unique_ptr<TfliteModel> model(new TfliteModel(file, options, FileLineColLoc::get(context, file.name, 0, 0)));
  if (failed(model->verify()) || failed(model->readEntries(options)) || failed(model->readInitials()))
    return failure();
  return model;
}

} // namespace nacre::importer::tflite_format
