// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a separable convolution as emitters see it: a depthwise convolution, and the product that alone reads it.
// Why:   what is between them lies in no storage. An engine keeps some rows of it near, or computes an element whenever the
//        product reads one.
// How:   1. as two contractions with a tensor between them, which is dense; 2. as one product whose left elements are sums
//        over windows.

#ifndef NACRE_CODEGEN_FORM_SEPARABLEFORM_H
#define NACRE_CODEGEN_FORM_SEPARABLEFORM_H

#include "codegen/form/PlainContraction.h"

namespace nacre::codegen {

struct SeparableForm {
  /// Result of the one and Lhs of the other are the tensor between, row-major. Its argument is one beyond the kernel's. The
  /// depthwise half has the kernel's cut where that is not along the product's columns; `written` is the tensor between.
  PlainContraction depthwise, pointwise;
};

/// Reads the body of `kernel`, of kind separable. The second half's weight may be encoded.
llvm::FailureOr<SeparableForm> parseSeparable(plan::KernelOp kernel);

/// The product of `form`, which must live as long, with a prologue of windows: Lhs is what they are of, at the first element of
/// each. Fails where windows are of more than `mostTaps`, or what follows them reads anything but numbers of channels.
llvm::FailureOr<PlainContraction> throughWindows(const SeparableForm &form, int64_t mostTaps);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SEPARABLEFORM_H
