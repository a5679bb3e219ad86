// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices of extremes, and cumulative sums, with the checks that every format needs. Each function sets the node's
// result or reports an error.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_REDUCTIONS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_REDUCTIONS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Finds the index of the minimum or maximum of operand 0 along `axis`, as integers of `type`. Among equal elements,
/// the first one counts, or the last one with `selectLast`.
void findExtreme(OperandBinder &node, nn::ArgKind kind, int64_t axis, mlir::Type type, bool keepDims = false,
                 bool selectLast = false);

/// Computes the sum or product of the elements up to each element of operand 0, along the axis in operand 1.
void cumulate(OperandBinder &node, nn::CumulateKind kind, bool isExclusive, bool isReverse);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_REDUCTIONS_H
