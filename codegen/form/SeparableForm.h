// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a separable convolution as emitters see it: a depthwise convolution, and the product that is its only reader.
// Why:   no storage holds the tensor between them. An engine keeps some of its rows in scratch, or computes an element
//        each time the product reads it.
// How:   1. as two contractions with a dense intermediate tensor; 2. as one product whose left elements are sums over
//        windows.

#ifndef NACRE_CODEGEN_FORM_SEPARABLEFORM_H
#define NACRE_CODEGEN_FORM_SEPARABLEFORM_H

#include "codegen/form/PlainContraction.h"

namespace nacre::codegen {

struct SeparableForm {
  /// The intermediate tensor is row-major: `depthwise` has it as Result and `written`, `pointwise` as Lhs. Its argument
  /// number is one beyond the kernel's last. `depthwise` has the kernel's cut, unless that is along the product's
  /// columns.
  PlainContraction depthwise, pointwise;
};

/// Reads the body of `kernel`, which has kind separable. The second half's weight may be encoded.
llvm::FailureOr<SeparableForm> parseSeparable(plan::KernelOp kernel);

/// Returns the product of `form` with a prologue of windows. Lhs is the input of the windows, at their first elements.
/// `form` must outlive the result. Fails if windows have more than `mostTaps` taps, or if the operations after them
/// read anything other than per-channel numbers.
llvm::FailureOr<PlainContraction> throughWindows(const SeparableForm &form, int64_t mostTaps);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SEPARABLEFORM_H
