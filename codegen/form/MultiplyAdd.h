// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  recognizes operations that add up products of two operands, of floats or of integers.
// Why:   contractions, attention and separable convolutions consist of such operations.

#ifndef NACRE_CODEGEN_FORM_MULTIPLYADD_H
#define NACRE_CODEGEN_FORM_MULTIPLYADD_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen {

/// True if the body of `work` is acc + a * b of floats. The operands may be extended first.
bool isMultiplyAdd(const Work &work);

/// True for each input of an integer multiply-add that is extended to the sum's type with zeros, not with its sign.
struct IntegerFactors {
  bool isUnsigned[2] = {false, false};
};

/// Returns the factors if the body of `work` is acc + extend(a) * extend(b), of 8 or 16 bits and with sums of i32.
std::optional<IntegerFactors> readIntegerMultiplyAdd(const Work &work);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_MULTIPLYADD_H
