// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which tensors a kernel computes, and where in its storages they go.
// Why:   on tensors a kernel's result is its whole storage with slices inserted; loops write the slices alone.
// How:   from what plan.yield returns backwards, through the insertions, to what is inserted; a filled region around it
//        is a halo.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H
#define NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H

#include "codegen/form/HaloBoxes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace nacre::codegen::cpu {

struct OutputSlice {
  mlir::Value storage, memory;      ///< A tensor, and a memref of its shape.
  mlir::Value work;                 ///< What is computed, a tensor, while there are tensors;
  Box slice;                        ///< where in the storage it goes,
  llvm::SmallVector<int64_t> steps; ///< from one element to the next;
  llvm::SmallVector<int64_t> axes;  ///< the storage's axis of each of its own.
  mlir::TypedAttr haloValue;        ///< What `region` is filled with around the slice, or null.
  Box region;

  /// From the first of its elements to the last.
  Box hull() const;
};

/// Reads the contents of `storage` that plan.yield returns backwards to the tensors that are computed: all of it, or
/// slices that are inserted one after the other. They are given in the order of the kernel's targets.
llvm::SmallVector<OutputSlice, 1> readOutputSlices(mlir::Value storage, mlir::Value yielded);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_OUTPUTSLICES_H
