// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over windows: batch, position of the window (one loop per axis), channel, and then the cells of a window.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H

#include "compiler/kernels/bodies/KernelBody.h"

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Returns a tensor of the body with constant cells around it. Emitters don't keep these cells in memory.
mlir::Value padWith(KernelBody &body, mlir::Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                    mlir::TypedAttr value);

/// Loops of a pool, or of an operator with the same attributes.
class WindowLoops {
public:
  template <typename OpT>
  explicit WindowLoops(OpT op)
      : WindowLoops(op.getContext(), op.getType().getShape(), op.getKernel(), op.getStrides(), op.getDilations(),
                    op.getPads(), op.getOverhang()) {}

  mlir::AffineMap cells;  ///< Map to the padded input.
  mlir::AffineMap window; ///< Map to a tensor of the kernel's shape.
  mlir::AffineMap places; ///< Map to the result.

  /// Returns a sweep over all loops whose destination is the result.
  Sweep sweep() const;
  /// Returns the argument for `host`, padded with `value`.
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
