// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products up to each element, checked as every format asks.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_CUMULATIONS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_CUMULATIONS_H

#include "compiler/import/OperandBinder.h"

namespace nacre::importer {

/// Of operand 0 along the axis that operand 1 is: the node's result is set, or an error reported.
void cumulate(OperandBinder &node, nn::CumulateKind kind, bool isExclusive, bool isReverse);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_CUMULATIONS_H
