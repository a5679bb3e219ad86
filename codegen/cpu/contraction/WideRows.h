// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of bytes that a unit multiplies, widened to 16 bits in scratch.
// Why:   an instruction that multiplies numbers of 16 bits then takes a row's word from memory, for each register of columns; widened
//        where they are multiplied, rows cost as much as a third of the products.
// How:   elements that lie one after another are copied at once, whatever loops walk over them, so that pixels which several taps read
//        are there once. Gaps between them become short.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_WIDEROWS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_WIDEROWS_H

#include "codegen/cpu/contraction/PanelWalk.h"

namespace nacre::codegen::cpu {

/// Copies what the loops of rows and of the depth read of the left operand at `at`, and calls `emit`, in which `walked` is the product
/// of the copy: of `rows`, or, of more than the second-level cache holds, block by block. `emit` gets the block's rows, and where the
/// operands stand.
void forWideRows(KernelFunction &function, VectorBuilder &build, MatrixProduct &walked, const PanelWalk &rows,
                 const Addresses &at, llvm::function_ref<void(const PanelWalk &block, const Addresses &at)> emit);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_WIDEROWS_H
