// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of random numbers, of a shape that operand 0 says: the node's result is set, or an error reported.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_RANDOMS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_RANDOMS_H

#include "compiler/import/binding/OperandBinder.h"

#include <array>

namespace nacre::importer {

/// What a node says its numbers begin with; two of zero are none.
using RandomSeeds = std::array<int64_t, 2>;

/// From [0, 1), as floats of `element`.
void drawUniform(OperandBinder &node, mlir::Type element, RandomSeeds seeds);
/// Of the standard normal distribution.
void drawNormal(OperandBinder &node, mlir::Type element, RandomSeeds seeds);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_RANDOMS_H
