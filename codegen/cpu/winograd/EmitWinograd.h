// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  convolutions by Winograd, and gradients of their filters: the parts of emitWinograd.
// Why:   a quarter of the multiply-adds for tiles of 4x4, 4/9 for 2x2, a fifth for 6x6 (codegen/form/Winograd.h).
// How:   a unit is some tiles by some panels of the weight. Block by block of the input's channels it transforms its
//        tiles into scratch, then panel by panel the filters, and multiplies at once: one product of matrices for each of
//        a tile's numbers, added to sums in scratch. At last these are transformed back into the epilogue: nothing but
//        the input, the weight and the result is ever in memory that is not this thread's.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_EMITWINOGRAD_H
#define NACRE_CODEGEN_CPU_WINOGRAD_EMITWINOGRAD_H

#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

/// Declines where units are no whole vectors of the target's, or direct products are as exact and faster.
llvm::LogicalResult emitConvolution(KernelFunction &function, const WinogradConvolution &convolution);
/// The gradient of a filter (EmitWinogradGradient.cpp). Declines where units are no whole vectors of the target's.
llvm::LogicalResult emitGradient(KernelFunction &function, const WinogradGradient &gradient);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_EMITWINOGRAD_H
