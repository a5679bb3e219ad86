// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source of a window: a tensor, or the codes that stand for its elements. An average or a normalization over channels
// can read the codes of a quantized tensor, so that its reals are never in memory. A code less a zero point, perhaps
// times a scale, is a real. The padding, which means 0, holds the zero point.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

struct WindowSource {
  mlir::Value tensor;     ///< Host value.
  mlir::TypedAttr around; ///< Element of `tensor` that stands for 0.
  /// Operators that convert an element of `tensor` to an element of the window, in order.
  llvm::SmallVector<mlir::Operation *> steps;

  /// Emits the element of the window that a stored element stands for.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored) const;
};

/// Returns the codes that `operand` is dequantized from; `nullopt` if it is not, or if its operators have other
/// readers.
std::optional<WindowSource> findCodes(mlir::Value operand);

/// Returns the source of a window in `body`: the codes of `operand` if members of the group compute it, else `operand`.
WindowSource getWindowSource(KernelBody &body, mlir::Value operand);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H
