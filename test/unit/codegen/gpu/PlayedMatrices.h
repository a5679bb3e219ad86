// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  replaces cooperative matrices of bytes by dot products.
// Why:   no device of CI has such matrices, but everything around them can be run: how operands come to shared memory,
//        where matrices are loaded from, and how their sums are finished.
// How:   an invocation has half a row of a matrix of sums. So it needs a row of the left matrix and eight columns of
//        the right one. It loads them from shared memory, where the subgroup would load the matrices.

#ifndef NACRE_TEST_UNIT_CODEGEN_GPU_PLAYEDMATRICES_H
#define NACRE_TEST_UNIT_CODEGEN_GPU_PLAYEDMATRICES_H

#include "codegen/Backend.h"

namespace nacre::codegen {

/// Returns the code of a variant without matrices. `variant` is one of GpuEmit::GpuDialect, and multiplies matrices of
/// bytes. Fails if it has other matrices, or none.
llvm::FailureOr<GpuKernelCode> playMatrices(const GpuKernelCode &variant);

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_GPU_PLAYEDMATRICES_H
