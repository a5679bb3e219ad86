// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an operand of a kernel under test as the encoding of a weight says.

#ifndef NACRE_TEST_UNIT_CODEGEN_PACKED_H
#define NACRE_TEST_UNIT_CODEGEN_PACKED_H

#include "codegen/PackWeights.h"
#include "dialects/StoredBytes.h"
#include "test/unit/codegen/Storage.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace nacre::codegen {

/// `plain` as the weight's encoding says.
inline Storage packed(Storage &plain, mlir::RankedTensorType type, plan::EncodingAttr encoding) {
  auto attribute = mlir::DenseElementsAttr::getFromRawBuffer(type, llvm::ArrayRef<char>(plain.data(), plain.bytes));
  llvm::FailureOr<nn::ConstantView> view = nn::ConstantView::get(attribute);
  PackedWeight weight(type, encoding);
  const int64_t bytes = bytesOfElement(type.getElementType());
  Storage result(mlir::RankedTensorType::get({weight.sizeInBytes() / bytes}, type.getElementType()));
  llvm::SmallVector<char> chunk;
  for (int64_t i = 0; i < weight.numChunks(); ++i) {
    weight.packChunk(*view, i, chunk);
    std::memcpy(result.data() + weight.chunkOffset(i), chunk.data(), chunk.size());
  }
  return result;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_PACKED_H
