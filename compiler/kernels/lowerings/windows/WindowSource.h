// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the source of a window: a tensor, or codes from which its elements are computed. An average or a normalization
// over channels can read the codes of a quantized tensor. The dequantized values are then never in memory. They are the
// codes minus a zero point, perhaps times a scale. Padding means 0, so it contains the zero point.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H

#include "compiler/kernels/bodies/KernelBody.h"

namespace nacre::kernels {

struct WindowSource {
  mlir::Value tensor;     ///< Host value that the kernel reads.
  mlir::TypedAttr around; ///< Element of `tensor` that stands for 0.
  /// Operators that convert an element of `tensor` to an element of the window, in order.
  llvm::SmallVector<mlir::Operation *> steps;

  /// Emits the element of the window, given the `stored` element of `tensor`.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value stored) const;
};

/// Returns the codes from which `operand` is dequantized. Returns `nullopt` if `operand` is not dequantized, or if the
/// operators in between have other readers.
std::optional<WindowSource> findCodes(mlir::Value operand);

/// Returns the source of a window in `body`: the codes of `operand` if members of the group compute it, else `operand`.
WindowSource getWindowSource(KernelBody &body, mlir::Value operand);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWSOURCE_H
