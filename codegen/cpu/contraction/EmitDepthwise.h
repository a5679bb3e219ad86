// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of emitContraction that emits depthwise convolutions.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_EMITDEPTHWISE_H
#define NACRE_CODEGEN_CPU_CONTRACTION_EMITDEPTHWISE_H

#include "codegen/cpu/KernelFunction.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Fills the body.
void emitDepthwise(KernelFunction &function, const DepthwiseConvolution &convolution);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_EMITDEPTHWISE_H
