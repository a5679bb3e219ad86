// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a separable convolution as emitters see it: a depthwise convolution, and the product that is its only reader.
// Why:   the tensor between them has no storage. An engine keeps some of its rows in scratch, or computes an element
//        each time that the product reads it.
// How:   the form is read as two contractions with a dense intermediate tensor. throughWindows() turns them into one
//        product whose left elements are sums over windows.

#ifndef NACRE_CODEGEN_FORM_FUSED_SEPARABLEFORM_H
#define NACRE_CODEGEN_FORM_FUSED_SEPARABLEFORM_H

#include "codegen/form/PlainContraction.h"

namespace nacre::codegen {

struct SeparableForm {
  /// The two halves. The intermediate tensor is row-major: it is Result and `written` of `depthwise`, and Lhs of
  /// `pointwise`. Its argument index is one beyond the kernel's last argument. `depthwise` has the kernel's cut, unless
  /// the cut axis is the product's columns.
  PlainContraction depthwise, pointwise;
};

/// Reads the body of `kernel`, which has the kind separable. The weight of the product may be encoded.
llvm::FailureOr<SeparableForm> parseSeparable(plan::KernelOp kernel);

/// Returns the product of `form` with a prologue of windows. Lhs is the input of the windows, at their first elements.
/// `form` must outlive the result. Fails if windows have more than `mostTaps` taps, or if the operations after them
/// read anything but per-channel constants.
llvm::FailureOr<PlainContraction> throughWindows(const SeparableForm &form, int64_t mostTaps);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_FUSED_SEPARABLEFORM_H
