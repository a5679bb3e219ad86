// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  fills the halo of a written tensor.
// Why:   a padded consumer reads the halo. The invocations that compute the adjacent elements write it, which saves a
//        separate kernel.

#ifndef NACRE_CODEGEN_GPU_HALO_H
#define NACRE_CODEGEN_GPU_HALO_H

#include "codegen/form/KernelForm.h"
#include "codegen/gpu/KernelFunction.h"

namespace nacre::codegen::gpu {

/// Fills the part of the halo of `written` that belongs to the indices from `low` to `high` (exclusive) of `axis`.
/// There must be at least one index. Parts beyond the ends of the axis belong to the first and the last index. A no-op
/// if there is no halo.
///
/// The invocations of a row of workgroups share the elements. So all of them must call this function with the same
/// range, after `groups` and `workgroupSize` are set.
void emitHalo(KernelFunction &function, const WrittenTensor &written, unsigned axis, mlir::Value low, mlir::Value high);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_HALO_H
