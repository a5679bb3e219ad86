// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits convolutions by Winograd, and the gradients of their filters. emitWinograd calls both emitters.
// Why:   tiles of 2x2 need 4/9 of the multiply-adds, 4x4 a quarter, and 6x6 a fifth (codegen/form/Winograd.h).
// How:   a unit is some tiles by some panels of the weight. For each block of the input's channels, it transforms its
//        tiles into scratch. Then, for each panel, it transforms the filters and multiplies: one matrix product for
//        each transformed value of a tile is added to sums in scratch. At the end, it transforms the sums back for the
//        epilogue. Only the input, the weight and the result are in memory outside of this thread's scratch.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_EMITWINOGRAD_H
#define NACRE_CODEGEN_CPU_WINOGRAD_EMITWINOGRAD_H

#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "codegen/form/WinogradForm.h"

namespace nacre::codegen::cpu {

/// Returns the number of elements of `type` in a cache line.
int64_t elementsOfLine(mlir::Type type);
/// Rounds up to an odd number of cache lines, so that consecutive rows or planes in scratch use different sets of a
/// cache.
int64_t spreadOverSets(int64_t elements, mlir::Type type);

/// Sets the arithmetic operations of the function: those of a direct convolution, and those that are executed.
void noteFlops(KernelFunction &function, const WinogradPlan &plan);

/// Emits a convolution. Declines if panels do not consist of whole vectors of the target, or if a direct product is as
/// exact and faster.
llvm::LogicalResult emitConvolution(KernelFunction &function, const WinogradConvolution &convolution);
/// Emits the gradient of a filter (EmitWinogradGradient.cpp). Declines if units do not consist of whole vectors of the
/// target.
llvm::LogicalResult emitGradient(KernelFunction &function, const WinogradGradient &gradient);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_EMITWINOGRAD_H
