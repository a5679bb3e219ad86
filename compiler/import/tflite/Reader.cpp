// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a TensorFlow Lite model to a view that can be trusted.
//
// How:  1. the tables are verified, 2. the graph is chosen, 3. constants are read when they are asked for.

#include "compiler/import/tflite/Reader.h"

#include "llvm/Support/Alignment.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

//===----------------------------------------------------------------------===//
// 1. Tables
//===----------------------------------------------------------------------===//

LogicalResult TfliteModel::verify() {
  // Offsets count from the file's begin, so what is aligned in the file must be so in memory.
  const llvm::Align alignment(16);
  if (!llvm::isAddrAligned(alignment, bytes->getBufferStart()))
    bytes = llvm::MemoryBuffer::getMemBufferCopy(bytes->getBuffer());
  const auto *begin = reinterpret_cast<const uint8_t *>(bytes->getBufferStart());
  // Tables reach no further; what large models have behind them is found by its place in the file.
  const size_t size = std::min<size_t>(bytes->getBufferSize(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier::Options options;
  options.max_depth = 16;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(std::min<size_t>(1000000, size / 8));
  flatbuffers::Verifier verifier(begin, size, options);
  if (!schema::VerifyModelBuffer(verifier))
    return emitError(loc) << "the model must be whole, but its tables lead out of it; export or download it again";
  root = schema::GetModel(begin);
  constexpr uint32_t version = 3;
  if (root->version() != version)
    return emitError(loc) << "must be of version " << version << " of TensorFlow Lite's format, but is of version "
                          << root->version();
  return success();
}

//===----------------------------------------------------------------------===//
// 2. The graph
//===----------------------------------------------------------------------===//

LogicalResult TfliteModel::readGraph() {
  const schema::SignatureDef *signature = nullptr;
  const size_t signatures = root->signature_defs() ? root->signature_defs()->size() : 0;
  constexpr const char *usual = "serving_default";
  for (size_t index = 0; index < signatures; ++index) {
    const schema::SignatureDef *other = root->signature_defs()->Get(index);
    if (!signature || toText(other->signature_key()) == usual)
      signature = other;
  }
  if (signatures > 1)
    emitRemark(loc) << "the model has " << signatures << " signatures; '"
                    << toText(signature->signature_key()).take_front(200) << "' is compiled";
  const size_t graphs = root->subgraphs() ? root->subgraphs()->size() : 0;
  const size_t index = signature ? signature->subgraph_index() : 0;
  if (index >= graphs)
    return emitError(loc) << "must have a graph " << index << ", but has " << graphs;
  FailureOr<std::unique_ptr<CheckedGraph>> checked =
      CheckedGraph::read(*root, *root->subgraphs()->Get(index), signature, bytes->getBuffer(), loc);
  if (failed(checked))
    return failure();
  graph = std::move(*checked);
  return success();
}

OperatorName TfliteModel::getName(const schema::Operator &op) const {
  const schema::OperatorCode &code = *root->operator_codes()->Get(op.opcode_index());
  // Older files have the first field alone; newer ones have what fits into it twice.
  int32_t number = std::max<int32_t>(code.deprecated_builtin_code(), code.builtin_code());
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

FailureOr<ElementsAttr> TfliteModel::readConstant(const CheckedTensor &tensor, Location at) {
  Type type = toElementType(tensor.table->type(), at.getContext());
  if (tensor.state == CheckedTensor::Variable)
    return emitError(at) << "must not keep its value between runs, which is not supported";
  if (!type)
    return emitError(at) << "has the element type '" << getWord(tensor.table->type()) << "', which is not supported";
  if (tensor.table->external_buffer())
    return emitError(at)
           << "must have its elements in the model's file, but has them in another, which is not supported";
  if (tensor.table->sparsity())
    return emitError(at) << "must be dense, but is sparse; convert the model without sparsity";
  // Buffers may be shared, and what is small is copied.
  copiedBytes += std::min<size_t>(tensor.bytes.size(), 4096);
  constexpr uint64_t spare = uint64_t(16) << 20;
  if (copiedBytes > bytes->getBufferSize() + spare)
    return emitError(at) << "constants must not share their bytes so often that they come to more than the file";
  return makeConstant({RankedTensorType::get(tensor.getShape(), type), tensor.bytes, bytes}, tensor.name);
}

FailureOr<std::unique_ptr<TfliteModel>> TfliteModel::read(const ModelFile &file, MLIRContext *context) {
  std::unique_ptr<TfliteModel> model(new TfliteModel(file, FileLineColLoc::get(context, file.name, 0, 0)));
  if (failed(model->verify()) || failed(model->readGraph()))
    return failure();
  return model;
}

} // namespace nacre::importer::tflite_format
