// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sizes in bytes of an element, and of a whole tensor or storage.
// Why:   constants, storages, tables and emitted addresses must use the same sizes, above all for booleans and narrow
//        types.
// How:   every element begins at a whole byte. A storage has no gaps between elements.

#ifndef NACRE_DIALECTS_STOREDBYTES_H
#define NACRE_DIALECTS_STOREDBYTES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Types.h"
#include "llvm/Support/MathExtras.h"

namespace nacre {

/// Returns the size of an element of an integer or float type in bytes. A boolean has one byte.
inline int64_t bytesOfElement(mlir::Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

/// Returns the size of a tensor of static shape in bytes.
inline int64_t storedBytes(mlir::ShapedType type) {
  return type.getNumElements() * bytesOfElement(type.getElementType());
}

} // namespace nacre

#endif // NACRE_DIALECTS_STOREDBYTES_H
