// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of bytes that a unit multiplies, widened to 16 bits in scratch.
// Why:   an instruction that multiplies 16-bit numbers then reads a row's word from memory, for each register of
//        columns. Rows widened at each use would cost a third as much as the products.
// How:   elements that lie one after another are copied once, however many loops walk over them, so that pixels that
//        several taps read are there once. Gaps between them shrink.

#ifndef NACRE_CODEGEN_CPU_PANELS_WIDEROWS_H
#define NACRE_CODEGEN_CPU_PANELS_WIDEROWS_H

#include "codegen/cpu/panels/PanelWalk.h"

namespace nacre::codegen::cpu {

/// Copies the elements of the left operand that the loops of rows and of the depth read from `at` on. Then calls
/// `emit`, during which `walked` is the product that reads the copy. If the rows exceed the second-level cache, this
/// happens block by block. `emit` gets the block's rows and the operands' addresses.
void forWideRows(KernelFunction &function, VectorBuilder &build, MatrixProduct &walked, const PanelWalk &rows,
                 const Addresses &at, llvm::function_ref<void(const PanelWalk &block, const Addresses &at)> emit);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_WIDEROWS_H
