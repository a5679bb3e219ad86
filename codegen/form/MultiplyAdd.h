// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether an operation adds up products of two operands, of floats or of integers.
// Why:   contractions, attention and separable convolutions are recognized by it.

#ifndef NACRE_CODEGEN_FORM_MULTIPLYADD_H
#define NACRE_CODEGEN_FORM_MULTIPLYADD_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen {

/// Whether the body of `work` is acc + a * b of floats, the operands converted first if need be.
bool isMultiplyAdd(const Work &work);

/// How the two inputs of an integer multiply-add are extended to the sum's type: with zeros, or with their sign.
struct IntegerFactors {
  bool isUnsigned[2] = {false, false};
};

/// Returns the factors if the body of `work` is acc + extend(a) * extend(b), of 8 or 16 bits and with sums of i32.
std::optional<IntegerFactors> readIntegerMultiplyAdd(const Work &work);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_MULTIPLYADD_H
