// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a kernel from tensors of its own shapes to whole storages, and builds kernels that copy. The arguments of
// the kernel get the shapes of the storages. Slices before the work and insertions after it select the parts
// (docs/phases/kernels.md).

#ifndef NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H
#define NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::kernels {

/// Box in the memory of an argument, or every n-th element of a box.
struct MemoryBox {
  llvm::ArrayRef<int64_t> memory; ///< Shape of the argument.
  llvm::ArrayRef<int64_t> offsets, sizes, steps;
};

/// Changes the type of input `index` of `kernel` to a whole storage, from which the kernel reads `box`.
void readFromBox(plan::KernelOp kernel, unsigned index, MemoryBox box);

/// Changes the type of written argument `index` (0 is the first one) to a whole storage, to which the kernel writes
/// `box`. It also fills `region`, which contains the box, with `fill` around the box. `fill` is null if box and region
/// are equal.
void writeIntoBox(plan::KernelOp kernel, unsigned index, MemoryBox box, MemoryBox region, mlir::TypedAttr fill);

/// Inserts a kernel at `builder` that copies a tensor of type `type`.
plan::KernelOp makeCopyKernel(mlir::OpBuilder &builder, mlir::Location loc, mlir::StringRef name,
                              mlir::RankedTensorType type);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H
