// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/tflite/TensorBytes.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

LogicalResult checkSizes(const schema::Tensor &tensor, ReportError error) {
  ArrayRef<int32_t> stored = toArray(tensor.shape()), open = toArray(tensor.shape_signature());
  if (stored.size() > maxRank)
    return error() << "must have at most " << maxRank << " dimensions, but has " << stored.size();
  SmallVector<int64_t> shape = llvm::to_vector_of<int64_t>(stored);
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }) || !nn::countElements(shape))
    return error() << "must have a shape that fits into memory, but has [" << stored << "]";
  if (!tensor.shape_signature())
    return success();
  bool agrees = stored.size() == open.size();
  for (auto [size, known] : llvm::zip(stored, open))
    agrees &= known == -1 || known == size;
  if (!agrees)
    return error() << "must have a shape signature like its shape [" << stored
                   << "], differing only where it is -1, but has [" << open << "]";
  return success();
}

FailureOr<ArrayRef<char>> findBytes(const schema::Model &model, const schema::Tensor &tensor, StringRef file,
                                    ReportError error) {
  const size_t buffers = model.buffers() ? model.buffers()->size() : 0;
  if (tensor.buffer() == 0 && buffers == 0)
    return ArrayRef<char>();
  if (tensor.buffer() >= buffers)
    return error() << "must name one of " << buffers << " buffers, but names " << tensor.buffer();
  const schema::Buffer &buffer = *model.buffers()->Get(tensor.buffer());
  if (buffer.data())
    return ArrayRef(reinterpret_cast<const char *>(buffer.data()->Data()), buffer.data()->size());
  if (buffer.offset() <= 1)
    return ArrayRef<char>();
  if (buffer.offset() > file.size() || buffer.size() > file.size() - buffer.offset())
    return error() << "must lie inside the file, but has " << buffer.size() << " at " << buffer.offset()
                   << ", and the file has " << file.size();
  return ArrayRef(file.data() + buffer.offset(), buffer.size());
}

LogicalResult checkBytes(const schema::Tensor &tensor, ArrayRef<char> bytes, MLIRContext *context, ReportError error) {
  Type type = toElementType(tensor.type(), context);
  if (!type || tensor.sparsity())
    return success(); // the error is reported when the tensor is read
  SmallVector<int64_t> shape = llvm::to_vector_of<int64_t>(toArray(tensor.shape()));
  int64_t bits, width = type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
  if (llvm::MulOverflow(*nn::countElements(shape), width, bits) ||
      llvm::divideCeil(static_cast<uint64_t>(bits), 8) != bytes.size())
    return error() << "must have as many bytes as " << getTypeName(type) << "[" << describeShape(shape)
                   << "] takes, but has " << bytes.size();
  return success();
}

} // namespace nacre::importer::tflite_format
