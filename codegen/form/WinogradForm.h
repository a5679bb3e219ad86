// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tiles of a Winograd convolution, and of the gradient of its filter.
// Why:   both go through the same tiles, so emitters of both compute their positions by the same code.

#ifndef NACRE_CODEGEN_FORM_WINOGRADFORM_H
#define NACRE_CODEGEN_FORM_WINOGRADFORM_H

#include "codegen/form/ContractionForm.h"
#include "codegen/form/WinogradPlan.h"

namespace nacre::codegen {

WinogradPlan planOf(const WinogradConvolution &convolution);
WinogradPlan planOf(const WinogradGradient &gradient);

/// Returns the convolution whose tiles the gradient goes through, of all images. Its Lhs is the input, and its Rhs the
/// gradient of its result.
WinogradConvolution convolutionOf(const WinogradGradient &gradient);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_WINOGRADFORM_H
