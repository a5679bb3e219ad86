// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_DIALECTS_PLAN_STOREDBYTES_H
#define NACRE_DIALECTS_PLAN_STOREDBYTES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::plan {

/// Of a storage or a weight: every element begins at a byte.
inline int64_t storedBytes(mlir::ShapedType type) {
  return type.getNumElements() * int64_t(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_STOREDBYTES_H
