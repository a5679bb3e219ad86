// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads how the loops of linalg.generic walk the axes of its operands.

#ifndef NACRE_COMPILER_ENCODE_NOISE_LOOPMAPS_H
#define NACRE_COMPILER_ENCODE_NOISE_LOOPMAPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace nacre::encode {

/// Returns the loops of an axis that walk it without overlap: outer * (extent of inner) + inner, as of groups of
/// channels.
std::optional<std::pair<unsigned, unsigned>> joinedLoops(mlir::AffineExpr index, llvm::ArrayRef<int64_t> extents);

/// Returns the axes of a result that the kept loops walk.
llvm::SmallVector<int64_t, 4> keptAxes(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<bool> isKept);

/// Sets the loops that walk a result to the element `index` of it.
void setLoops(llvm::MutableArrayRef<int64_t> loops, mlir::AffineMap map, llvm::ArrayRef<int64_t> index,
              llvm::ArrayRef<int64_t> extents);

/// True if each axis of a result is a loop, two loops without overlap, or has one element.
bool hasPlainResults(mlir::linalg::GenericOp op);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_NOISE_LOOPMAPS_H
