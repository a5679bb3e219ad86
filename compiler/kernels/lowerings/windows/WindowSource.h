// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a window reads: a tensor, or the codes that stand for its elements.
// Why:   an average, or a normalization over channels, of a quantized tensor need not wait until its reals are in memory.
// How:   codes less a zero point, perhaps times a scale; the cells around the tensor, which are 0, hold the zero point.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

struct WindowSource {
  mlir::Value tensor;     ///< A host value.
  mlir::TypedAttr around; ///< An element of it that stands for 0.
  llvm::SmallVector<mlir::Operation *> steps; ///< From an element of it to what the window takes, in order.

  /// What a stored element stands for.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored) const;
};

/// The codes that `operand` is computed of, if it is, by operators of which it is the only reader's operand.
std::optional<WindowSource> findCodes(mlir::Value operand);

/// What the window of an operator of `body` reads: `operand`, or the codes of it if members of the group compute it.
WindowSource getWindowSource(KernelBody &body, mlir::Value operand);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H
