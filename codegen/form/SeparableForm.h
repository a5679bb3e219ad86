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

/// A product that computes its left operand while it reads it. Of the operands, Lhs is what the windows are of, at the first
/// element of each; those that only windows read stand behind the epilogue's, and move with the depth alone.
struct WindowedProduct {
  /// An element of a window and its weight: how far they are from the first ones.
  struct Tap {
    int64_t lhs = 0, filter = 0;
  };

  PlainContraction product;
  PlainContraction depthwise;  ///< Whose epilogue makes a left element of a window's sum.
  llvm::SmallVector<Tap> taps; ///< In the order in which they are added up.
  unsigned filter = 0;         ///< Operand of `product`.
  unsigned extra = 0;          ///< Operand of `product` that is operand Extra of `depthwise`; further ones follow it.
};

/// Fails where windows are of more than `mostTaps`, or their epilogue reads anything that is not of channels.
llvm::FailureOr<WindowedProduct> throughWindows(const SeparableForm &form, int64_t mostTaps);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SEPARABLEFORM_H
