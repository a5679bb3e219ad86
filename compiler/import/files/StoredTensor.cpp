// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor whose elements are in a file or were decoded from one.

#include "compiler/import/files/StoredTensor.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace nacre::importer {

ElementsAttr makeConstant(const StoredTensor &tensor, StringRef name) {
  // Attributes are hashed and compared by value, which is too slow for weights.
  constexpr size_t maxDenseBytes = 4096;

  if (tensor.type.getElementType().isInteger(1)) {
    SmallVector<bool> values = llvm::map_to_vector(tensor.bytes, [](char byte) { return byte != 0; });
    return DenseElementsAttr::get(tensor.type, values);
  }
  if (tensor.bytes.size() <= maxDenseBytes && nn::isPacked(tensor.type.getElementType())) {
    nn::ConstantBuilder elements(tensor.type);
    nn::unpackElements(tensor.type.getElementType(), tensor.bytes,
                       MutableArrayRef(elements.at(0), tensor.type.getNumElements()));
    return std::move(elements).take();
  }
  if (tensor.bytes.size() <= maxDenseBytes)
    return DenseElementsAttr::getFromRawBuffer(tensor.type, tensor.bytes);
  AsmResourceBlob blob(
      tensor.bytes, /*dataAlignment=*/1, [owner = tensor.owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(tensor.type, name, std::move(blob));
}

} // namespace nacre::importer
