// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds the tensors that a kernel computes, and their places in its storages.
// Why:   on tensors, a kernel's result is its whole storage with slices inserted. Loops write only the slices.
// How:   readOutputSlices() follows the operands of plan.yield backwards through the insertions to the inserted
//        tensors. A filled region around a tensor is its halo.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H
#define NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H

#include "codegen/form/HaloBoxes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace nacre::codegen::cpu {

struct OutputSlice {
  mlir::Value storage, memory; ///< Storage as a tensor, and as a memref of the same shape
  mlir::Value work;            ///< Computed tensor, before bufferization
  Box slice;                   ///< Place of the computed tensor in the storage
  /// Distance in the storage between neighbouring elements of the tensor, for each axis
  llvm::SmallVector<int64_t> steps;
  llvm::SmallVector<int64_t> axes; ///< Axis of the storage for each axis of the tensor
  mlir::TypedAttr haloValue;       ///< Value that fills `region` around the slice, or null
  Box region;

  /// Returns the box from the first to the last element of the tensor.
  Box hull() const;
};

/// Finds the computed tensors in `yielded`, the contents of `storage` that plan.yield returns: one tensor for the whole
/// storage, or slices that are inserted one after another. The result is in the order of the kernel's targets.
llvm::SmallVector<OutputSlice, 1> readOutputSlices(mlir::Value storage, mlir::Value yielded);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H
