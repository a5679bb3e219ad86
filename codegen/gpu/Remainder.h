// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  remainders with the sign of the dividend.
// Why:   SPIR-V's own have few right digits where a quotient is large, of floats, and promise nothing of negative integers.
// How:   divides the digits of floats, 8 bits per iteration, so that the remainder is exact; integers take it from a quotient.

#ifndef NACRE_CODEGEN_GPU_REMAINDER_H
#define NACRE_CODEGEN_GPU_REMAINDER_H

#include "codegen/Term.h"

namespace nacre::codegen::gpu {

/// C's fmod, of f32 or f64.
Term floatRemainder(Term x, Term y);

/// Of signed integers: `y` is neither 0 nor -1.
Term signedRemainder(Term x, Term y);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_REMAINDER_H
