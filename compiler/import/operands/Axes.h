// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads axes from operands.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_AXES_H
#define NACRE_COMPILER_IMPORT_OPERANDS_AXES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer {

/// Return the axis, or the distinct axes, in operand `index`, counted from the front of `rank` axes. Fail after an
/// error.
mlir::FailureOr<int64_t> readAxis(OperandBinder &node, size_t index, int64_t rank);
mlir::FailureOr<llvm::SmallVector<int64_t>> readAxes(OperandBinder &node, size_t index, int64_t rank);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_AXES_H
