// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  remainders with the sign of the dividend.
// Why:   SPIR-V's float remainder loses digits if the quotient is large. SPIR-V does not define the remainder of
//        negative integers.
// How:   long division of a float's digits, 8 bits per iteration for f32, makes the remainder exact. Integers use a
//        quotient.

#ifndef NACRE_CODEGEN_GPU_REMAINDER_H
#define NACRE_CODEGEN_GPU_REMAINDER_H

#include "codegen/Term.h"

namespace nacre::codegen::gpu {

/// Returns C's fmod of f32 or f64.
Term floatRemainder(Term x, Term y);

/// Returns the remainder of signed integers. `y` must be neither 0 nor -1.
Term signedRemainder(Term x, Term y);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_REMAINDER_H
