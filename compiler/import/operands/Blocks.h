// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of neighbours, checked as every format asks. Channels are last.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_BLOCKS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_BLOCKS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Whether `block`, which messages call `name`, divides the rows and columns of `x`, operand 0 as [N, H, W, C], or twice its channels;
/// reports an error if not.
bool checkBlock(OperandBinder &node, llvm::StringRef name, mlir::Value x, int64_t block, bool ofChannels);

/// Blocks along the axes behind the first of operand 0 to the first, as its result. Before, as many elements of `filler` are added at
/// both ends of each axis as operand `pads` holds.
void moveToBatch(OperandBinder &node, Ints blocks, size_t pads, double filler);

/// The way back. Behind it, as many elements are cut off as operand `crops` holds.
void moveFromBatch(OperandBinder &node, Ints blocks, size_t crops);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_BLOCKS_H
