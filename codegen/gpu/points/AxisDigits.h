// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the loops of an operation that walk an axis of its result.
// Why:   the index of an element gives the iterations of these loops, like the digits of a number.

#ifndef NACRE_CODEGEN_GPU_POINTS_AXISDIGITS_H
#define NACRE_CODEGEN_GPU_POINTS_AXISDIGITS_H

#include "codegen/form/KernelForm.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::codegen::gpu {

/// Loops that walk an axis like the digits of a number. The slowest loop comes first.
struct AxisDigits {
  llvm::SmallVector<unsigned, 2> loops;
  bool valid = true; ///< False if an index does not determine the iterations.
};

/// Returns the loops of `work` that `expression`, the index of an axis, depends on.
AxisDigits digitsOf(const Work &work, mlir::AffineExpr expression);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_AXISDIGITS_H
