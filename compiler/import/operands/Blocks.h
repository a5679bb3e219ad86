// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of neighbouring elements, with the checks that every format needs. Channels are last.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_BLOCKS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_BLOCKS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// True if `block` divides the rows and columns of `x`, which is operand 0 as [N, H, W, C]. With `ofChannels`, the
/// square of `block` must divide the channels instead. Reports an error if not, which calls the block `name`.
bool checkBlock(OperandBinder &node, llvm::StringRef name, mlir::Value x, int64_t block, bool ofChannels);

/// Moves blocks along all axes after the first axis of operand 0 to the first axis, and sets the result. Before that,
/// `filler` elements are added at both ends of each axis; operand `pads` holds their numbers.
void moveToBatch(OperandBinder &node, Ints blocks, size_t pads, double filler);

/// Undoes moveToBatch(). Operand `crops` holds the numbers of elements to remove at both ends of each axis afterwards.
void moveFromBatch(OperandBinder &node, Ints blocks, size_t crops);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_BLOCKS_H
