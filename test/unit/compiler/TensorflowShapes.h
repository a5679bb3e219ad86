// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that operators of TensorFlow require, so that some draws are compiled.

#ifndef NACRE_TEST_UNIT_COMPILER_TENSORFLOWSHAPES_H
#define NACRE_TEST_UNIT_COMPILER_TENSORFLOWSHAPES_H

#include "test/unit/compiler/OperandDraw.h"

#include <optional>

namespace nacre {

/// Returns the shape of an operand other than the first, of shape `x`, if the definition leaves little choice.
std::optional<std::vector<int64_t>> getTensorflowShape(Draw &draw, llvm::StringRef op, llvm::StringRef operand,
                                                       size_t index, const std::vector<int64_t> &x);

/// Makes most operands constant that must be, with values that the operator accepts.
void settleTensorflowOperand(Draw &draw, llvm::StringRef op, llvm::StringRef name, DrawnOperand &operand);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_TENSORFLOWSHAPES_H
