// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes loops over windows: batch, position of the window (one loop per axis), channel, and then the cells of a
// window.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H

#include "compiler/kernels/bodies/KernelBody.h"

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Adds constant cells around `input` in the body. Emitters don't keep these cells in memory.
mlir::Value padWith(KernelBody &body, mlir::Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                    mlir::TypedAttr value);

/// Loops of a pool, or of an operator with the same attributes.
class WindowLoops {
public:
  template <typename OpT>
  explicit WindowLoops(OpT op)
      : WindowLoops(op.getContext(), op.getType().getShape(), op.getKernel(), op.getStrides(), op.getDilations(),
                    op.getPads(), op.getOverhang()) {}

  mlir::AffineMap cells;  ///< Map from loops to a tensor with the shape of the window.
  mlir::AffineMap window; ///< Map from loops to an unread tensor with the shape of the window.
  mlir::AffineMap places; ///< Map from loops to the result.

  /// Returns a sweep over all loops, with the map to the result as destination map.
  Sweep sweep() const;
  /// Returns the argument for `host` in `body`, padded with `value`.
  mlir::Value pad(KernelBody &body, mlir::Value host, mlir::TypedAttr value) const;

private:
  WindowLoops(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> result, llvm::ArrayRef<int64_t> kernel,
              llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads,
              llvm::ArrayRef<int64_t> overhang);

  llvm::SmallVector<int64_t> shape, low, high; ///< Extents of the loops; pads of the input.
  size_t spatial;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H
