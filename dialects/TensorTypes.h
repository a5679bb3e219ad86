// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the type of a value that is known to be a ranked tensor.

#ifndef NACRE_DIALECTS_TENSORTYPES_H
#define NACRE_DIALECTS_TENSORTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace nacre {

inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) { return typeOf(tensor).getShape(); }
inline int64_t rankOf(mlir::Value tensor) { return typeOf(tensor).getRank(); }
inline mlir::Type elementTypeOf(mlir::Value tensor) { return typeOf(tensor).getElementType(); }

} // namespace nacre

#endif // NACRE_DIALECTS_TENSORTYPES_H
