// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensors in a protobuf file.

#include "compiler/import/protobuf/WireTensors.h"

#include "compiler/import/messages/TypeNames.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using llvm::WritableMemoryBuffer;

namespace nacre::importer {

std::shared_ptr<WritableMemoryBuffer> WireTensors::allocate(uint64_t size, Location loc) {
  if (size > decodeBudget) {
    emitError(loc) << "elements stored one by one must take at most " << decodeBudget
                   << " more bytes of memory, but take " << size << "; store them as " << advice;
    return nullptr;
  }
  decodeBudget -= size;
  return WritableMemoryBuffer::getNewUninitMemBuffer(size);
}

FailureOr<StoredTensor> WireTensors::join(ArrayRef<WirePayload> chunks, RankedTensorType type, Location loc) {
  if (chunks.empty())
    return StoredTensor{type, {}, file};
  if (chunks.size() == 1) {
    StringRef bytes = getBytes(chunks.front());
    return StoredTensor{type, ArrayRef(bytes.data(), bytes.size()), file};
  }
  uint64_t size = 0;
  for (const WirePayload &chunk : chunks)
    size += chunk.length;
  std::shared_ptr<WritableMemoryBuffer> buffer = allocate(size, loc);
  if (!buffer)
    return failure();
  char *to = buffer->getBufferStart();
  for (const WirePayload &chunk : chunks)
    to = llvm::copy(getBytes(chunk), to);
  return StoredTensor{type, ArrayRef(buffer->getBufferStart(), size), std::move(buffer)};
}

uint64_t WireTensors::countVarints(ArrayRef<WirePayload> chunks) const {
  // Every number ends with a byte whose top bit is 0, so these bytes are counted without decoding.
  uint64_t count = 0;
  for (const WirePayload &chunk : chunks)
    count += llvm::count_if(getBytes(chunk), [](char byte) { return static_cast<uint8_t>(byte) < 128; });
  return count;
}

FailureOr<StoredTensor> WireTensors::decode(ArrayRef<WirePayload> chunks, RankedTensorType type, Location loc) {
  auto elementBytes = uint64_t(bytesOfElement(type.getElementType()));
  uint64_t size = countVarints(chunks) * elementBytes;
  std::shared_ptr<WritableMemoryBuffer> buffer = allocate(size, loc);
  if (!buffer)
    return failure();
  char *to = buffer->getBufferStart();
  for (const WirePayload &chunk : chunks) {
    StringRef bytes = getBytes(chunk);
    while (!bytes.empty()) {
      uint64_t value;
      if (!takeVarint(bytes, value))
        return emitError(loc) << "the elements of a tensor of type " << describe(type)
                              << " are damaged; save the model again";
      char littleEndian[8];
      llvm::support::endian::write64le(littleEndian, value);
      to = std::copy_n(littleEndian, elementBytes, to);
    }
  }
  return StoredTensor{type, ArrayRef(buffer->getBufferStart(), size), std::move(buffer)};
}

FailureOr<StoredTensor> WireTensors::repeatLast(StoredTensor tensor, Location loc) {
  auto elementBytes = uint64_t(bytesOfElement(tensor.type.getElementType()));
  assert(tensor.bytes.size() >= elementBytes && "there must be an element to repeat");
  uint64_t size = tensor.type.getNumElements() * elementBytes;
  std::shared_ptr<WritableMemoryBuffer> buffer = allocate(size, loc);
  if (!buffer)
    return failure();
  ArrayRef<char> last = tensor.bytes.take_back(elementBytes);
  char *to = llvm::copy(tensor.bytes, buffer->getBufferStart());
  while (to != buffer->getBufferEnd())
    to = llvm::copy(last, to);
  return StoredTensor{tensor.type, ArrayRef(buffer->getBufferStart(), size), std::move(buffer)};
}

} // namespace nacre::importer
