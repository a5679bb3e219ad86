// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tensors that a kernel computes, and their places in its storages.
// Why:   on tensors, a kernel's result is its whole storage with slices inserted; loops write only the slices.
// How:   from the operands of plan.yield backwards, through the insertions, to the inserted tensors. A filled region
//        around a tensor is a halo.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H
#define NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H

#include "codegen/form/HaloBoxes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace nacre::codegen::cpu {

struct OutputSlice {
  mlir::Value storage, memory;      ///< A tensor, and a memref of its shape
  mlir::Value work;                 ///< The computed tensor, before bufferization
  Box slice;                        ///< Its place in the storage
  llvm::SmallVector<int64_t> steps; ///< Storage elements from one of its elements to the next
  llvm::SmallVector<int64_t> axes;  ///< The storage's axis for each of its own axes
  mlir::TypedAttr haloValue;        ///< Value that fills `region` around the slice, or null
  Box region;

  /// Returns the box from the first of its elements to the last.
  Box hull() const;
};

/// Reads the contents of `storage` that plan.yield returns backwards to the computed tensors: one for all of it, or
/// slices inserted one after another. They are in the order of the kernel's targets.
llvm::SmallVector<OutputSlice, 1> readOutputSlices(mlir::Value storage, mlir::Value yielded);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H
