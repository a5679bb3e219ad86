// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  recognizes reductions that add up products of two operands, of floats or of integers.
// Why:   contractions, attention and separable convolutions consist of such operations.

#ifndef NACRE_CODEGEN_FORM_MULTIPLYADD_H
#define NACRE_CODEGEN_FORM_MULTIPLYADD_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen {

/// True if the body of `work` computes acc + a * b of floats. It may extend a and b to a wider type first.
bool isMultiplyAdd(const Work &work);

/// Extension of the two inputs of an integer multiply-add: true if an input is extended to the type of the sum with
/// zeros, false if with its sign.
struct IntegerFactors {
  bool isUnsigned[2] = {false, false};
};

/// Returns the extensions if the body of `work` computes acc + extend(a) * extend(b) with 8-bit or 16-bit inputs and
/// an i32 sum. Otherwise, returns `nullopt`.
std::optional<IntegerFactors> readIntegerMultiplyAdd(const Work &work);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_MULTIPLYADD_H
