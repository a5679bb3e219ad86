// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  widens the rows of bytes that a unit multiplies to 16 bits, in scratch.
// Why:   an instruction that multiplies 16-bit integers can then read a word of a row from memory. Widening rows at
//        each use would cost a third as much as the products.
// How:   consecutive elements are copied once, even if several loops walk over them, as several taps read the same
//        pixels. Gaps between elements are made smaller.

#ifndef NACRE_CODEGEN_CPU_PANELS_WIDEROWS_H
#define NACRE_CODEGEN_CPU_PANELS_WIDEROWS_H

#include "codegen/cpu/panels/PanelWalk.h"

namespace nacre::codegen::cpu {

/// Copies the elements that the loops of rows and of the depth read from the left operand at `at`. Then calls `emit`;
/// meanwhile, `walked` is the product that reads the copy. If the rows exceed the second-level cache, both happen block
/// by block. `emit` gets the rows of the block and the addresses of the operands.
void forWideRows(KernelFunction &function, VectorBuilder &build, MatrixProduct &walked, const PanelWalk &rows,
                 const Addresses &at, llvm::function_ref<void(const PanelWalk &block, const Addresses &at)> emit);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_WIDEROWS_H
