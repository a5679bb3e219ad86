// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of extremes, and what runs along an axis, checked as every format asks: the node's result is set, or an error reported.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_REDUCTIONS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_REDUCTIONS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Where along an axis of operand 0 its extreme is, the first or the last such place, as integers of `type`.
void findExtreme(OperandBinder &node, nn::ArgKind kind, int64_t axis, mlir::Type type, bool keepDims = false,
                 bool selectLast = false);

/// Sums or products up to each element of operand 0, along the axis that operand 1 is.
void cumulate(OperandBinder &node, nn::CumulateKind kind, bool isExclusive, bool isReverse);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_REDUCTIONS_H
