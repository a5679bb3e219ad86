// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  remainders with the sign of the dividend.
// Why:   SPIR-V's float remainder loses digits if the quotient is large. Its integer remainder is undefined for
//        negative operands.
// How:   an exact remainder of floats is computed by long division of the digits, with 8 bits per iteration for f32.
//        The remainder of integers is computed from their quotient.

#ifndef NACRE_CODEGEN_GPU_REMAINDER_H
#define NACRE_CODEGEN_GPU_REMAINDER_H

#include "codegen/Term.h"

namespace nacre::codegen::gpu {

/// Returns the remainder that C's fmod returns, for f32 or f64.
Term floatRemainder(Term x, Term y);

/// Returns the remainder of signed integers. `y` must be neither 0 nor -1.
Term signedRemainder(Term x, Term y);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_REMAINDER_H
