// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how many bytes an element and a whole tensor or storage take.
// Why:   constants, storages, tables and emitted addresses must agree on it, booleans and narrow types above all.
// How:   every element begins at a byte; a storage has no gaps.

#ifndef NACRE_DIALECTS_STOREDBYTES_H
#define NACRE_DIALECTS_STOREDBYTES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Types.h"
#include "llvm/Support/MathExtras.h"

namespace nacre {

/// Of one element of an integer or a float type; booleans take one.
inline int64_t bytesOfElement(mlir::Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

/// Of all elements of a shape without unknown extents.
inline int64_t storedBytes(mlir::ShapedType type) {
  return type.getNumElements() * bytesOfElement(type.getElementType());
}

} // namespace nacre

#endif // NACRE_DIALECTS_STOREDBYTES_H
