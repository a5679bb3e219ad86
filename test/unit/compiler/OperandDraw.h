// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands close to those of a signature, whatever format their model is in.

#ifndef NACRE_TEST_UNIT_COMPILER_OPERANDDRAW_H
#define NACRE_TEST_UNIT_COMPILER_OPERANDDRAW_H

#include "test/unit/compiler/Draw.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace nacre {

struct DrawnOperand {
  enum Kind {
    LeftOut,
    Input,
    Constant,
    Open, ///< A run finds the number of rows
    Array ///< a list of tensors, where the format has them
  } kind = Input;
  int32_t type = 0;
  std::vector<int64_t> shape = {};
  std::vector<int64_t> values = {}; ///< Elements of a constant list of integers that is not drawn
  bool isZero = false;              ///< a constant of floats
};

/// The shape of an operand other than the first, of shape `x`: one of those that definitions ask for.
std::vector<int64_t> drawShapeBeside(Draw &draw, const std::vector<int64_t> &x);

/// The shape that operand `index` must have next to the first one, if there is little choice.
using AskedShape =
    llvm::function_ref<std::optional<std::vector<int64_t>>(size_t index, const std::vector<int64_t> &first)>;

/// An operand for each of `rules`; of repeated ones up to three.
std::vector<DrawnOperand> drawOperands(Draw &draw, llvm::ArrayRef<importer::OperandRule> rules, AskedShape asked);

/// Draws an element of a constant: a real, or an integer if the type is one.
bool holdsReals(int32_t type);
int64_t drawInteger(Draw &draw, int32_t type);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_OPERANDDRAW_H
