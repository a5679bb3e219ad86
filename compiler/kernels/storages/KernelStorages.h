// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  rewrites a kernel from tensors of its own shapes to whole storages, and builds kernels that copy.
// Why:   a kernel takes storages as they are in memory; the slices that it works on are part of its body.
// How:   an argument takes the shape of its storage; slices in front of the work and insertions behind it say which
//        part is meant, as docs/phases/kernels.md has it.

#ifndef NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H
#define NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::kernels {

/// A box of the memory that an argument is, or every so manyth element of one.
struct MemoryBox {
  llvm::ArrayRef<int64_t> memory; ///< Shape of the argument.
  llvm::ArrayRef<int64_t> offsets, sizes, steps;
};

/// Makes argument `index` of `kernel`, an input, the memory of which it reads `box`.
void readFromBox(plan::KernelOp kernel, unsigned index, MemoryBox box);

/// Makes written argument `index` (counted from the first written) the memory of which it writes `box`, and fills
/// `region`, which holds the box, with `fill` around it. `fill` is null where both are the same.
void writeIntoBox(plan::KernelOp kernel, unsigned index, MemoryBox box, MemoryBox region, mlir::TypedAttr fill);

/// A kernel that copies a tensor, inserted at `builder`.
plan::KernelOp makeCopyKernel(mlir::OpBuilder &builder, mlir::Location loc, mlir::StringRef name,
                              mlir::RankedTensorType type);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_STORAGES_KERNELSTORAGES_H
