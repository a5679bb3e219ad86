// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  convolutions whose weight is in the encoding of Winograd.
// Why:   a quarter of the multiply-adds for tiles of 4x4, 4/9 for tiles of 2x2 (codegen/form/Winograd.h).
// How:   a unit transforms the tiles of its rows into scratch, multiplies them by panels of the weight, one product of
//        matrices for each of a tile's products, and transforms the sums back into the epilogue: nothing but the input
//        and the result is ever in memory that is not this thread's.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_EMITWINOGRAD_H
#define NACRE_CODEGEN_CPU_CONTRACTION_EMITWINOGRAD_H

#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/contraction/WinogradTables.h"
#include "codegen/form/ContractionForm.h"

namespace nacre::codegen::cpu {

void emitWinograd(KernelFunction &function, const WinogradConvolution &convolution);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_EMITWINOGRAD_H
