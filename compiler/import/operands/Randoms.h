// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of random numbers with the shape in operand 0. Each function sets the node's result or reports an error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_RANDOMS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_RANDOMS_H

#include "compiler/import/binding/OperandBinder.h"

#include <array>

namespace nacre::importer {

/// The two seeds of a node. If both are 0, the node has no seed.
using RandomSeeds = std::array<int64_t, 2>;

/// Draws floats of type `element` uniformly from [0, 1).
void drawUniform(OperandBinder &node, mlir::Type element, RandomSeeds seeds);
/// Draws floats of type `element` from the standard normal distribution.
void drawNormal(OperandBinder &node, mlir::Type element, RandomSeeds seeds);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_RANDOMS_H
