// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the bytes of an element, and of a whole tensor or storage.
// Why:   constants, storages, tables and emitted addresses must agree on them, above all for booleans and narrow types.
// How:   every element begins at a byte; a storage has no gaps.

#ifndef NACRE_DIALECTS_STOREDBYTES_H
#define NACRE_DIALECTS_STOREDBYTES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Types.h"
#include "llvm/Support/MathExtras.h"

namespace nacre {

/// Returns the bytes of an element of an integer or float type; a boolean takes one.
inline int64_t bytesOfElement(mlir::Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

/// Returns the bytes of all elements of a static shape.
inline int64_t storedBytes(mlir::ShapedType type) {
  return type.getNumElements() * bytesOfElement(type.getElementType());
}

} // namespace nacre

#endif // NACRE_DIALECTS_STOREDBYTES_H
