// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a kernel from tensors of its own shapes to whole storages, and builds kernels that copy. A kernel gets
// storages as they are in memory. Its arguments have the shapes of the storages; slices before the work and insertions
// after it select the parts (docs/phases/kernels.md).

#ifndef NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H
#define NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::kernels {

/// Box of the memory of an argument, or every n-th element of a box.
struct MemoryBox {
  llvm::ArrayRef<int64_t> memory; ///< Shape of the argument.
  llvm::ArrayRef<int64_t> offsets, sizes, steps;
};

/// Turns input `index` of `kernel` into a whole storage, from which the kernel reads `box`.
void readFromBox(plan::KernelOp kernel, unsigned index, MemoryBox box);

/// Turns written argument `index` (0 is the first one) into a whole storage, to which the kernel writes `box`. Fills
/// `region`, which contains the box, with `fill` around it. `fill` is null if box and region are the same.
void writeIntoBox(plan::KernelOp kernel, unsigned index, MemoryBox box, MemoryBox region, mlir::TypedAttr fill);

/// Inserts a kernel at `builder` that copies a tensor.
plan::KernelOp makeCopyKernel(mlir::OpBuilder &builder, mlir::Location loc, mlir::StringRef name,
                              mlir::RankedTensorType type);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H
