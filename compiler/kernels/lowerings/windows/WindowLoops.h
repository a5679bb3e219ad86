// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the loops of windows: n, places of the window..., c, then the cells of a window.

#ifndef NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H
#define NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H

#include "compiler/kernels/bodies/KernelBody.h"

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// A tensor of the body with constant cells around it, of which emitters keep none in memory.
mlir::Value padWith(KernelBody &body, mlir::Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                    mlir::TypedAttr value);

/// Of a pool's input, or of what has its attributes.
class WindowLoops {
public:
  template <typename OpT>
  explicit WindowLoops(OpT op)
      : WindowLoops(op.getContext(), op.getType().getShape(), op.getKernel(), op.getStrides(), op.getDilations(),
                    op.getPads(), op.getOverhang()) {}

  mlir::AffineMap cells;  ///< Of the padded input;
  mlir::AffineMap window; ///< of a tensor of the kernel's shape;
  mlir::AffineMap places; ///< of the result.

  /// Over all loops, with the places for its destination.
  Sweep sweep() const;
  /// The argument for `host` with `value` around it.
  mlir::Value pad(KernelBody &body, mlir::Value host, mlir::TypedAttr value) const;

private:
  WindowLoops(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> result, llvm::ArrayRef<int64_t> kernel,
              llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads,
              llvm::ArrayRef<int64_t> overhang);

  llvm::SmallVector<int64_t> shape, low, high; ///< Of the loops; around the input.
  size_t spatial;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_LOWERINGS_WINDOWS_WINDOWLOOPS_H
