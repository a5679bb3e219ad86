// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  fills the border around a written tensor.
// Why:   a padded consumer reads it; whoever computes the neighbouring elements writes it, so that no kernel is for it
//        alone.

#ifndef NACRE_CODEGEN_GPU_HALO_H
#define NACRE_CODEGEN_GPU_HALO_H

#include "codegen/form/KernelForm.h"
#include "codegen/gpu/KernelFunction.h"

namespace nacre::codegen::gpu {

/// Fills the part of `written`'s halo that belongs to the indices from `low` to `high` (exclusive, one at least) of
/// `axis`; what lies beyond its ends belongs to the first and the last index. Nothing where there is no halo. The
/// invocations of a row of workgroups share the elements, so all of them must come here with the same range, after
/// `groups` and `workgroupSize` are set.
void emitHalo(KernelFunction &function, const WrittenTensor &written, unsigned axis, mlir::Value low, mlir::Value high);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_HALO_H
