// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of integer tensors as sums: constants, and multiples of what a run computes.
//
// Why:  exporters write `x[n : n + 2]` as two computed positions, and `same as x` as a computed shape. Sizes are known if the
//       difference of the positions is, or if the shape is made of the sizes of x.

#ifndef NACRE_COMPILER_IMPORT_OPERANDS_LINEARFORMS_H
#define NACRE_COMPILER_IMPORT_OPERANDS_LINEARFORMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// A constant plus multiples of elements that a run computes.
struct LinearForm {
  struct Term {
    mlir::Value tensor;
    int64_t index;  ///< of the element, in row-major order
    int64_t factor; ///< not 0
  };
  int64_t constant = 0;
  llvm::SmallVector<Term, 2> terms;
};

/// Returns element `index`, in row-major order, of an integer tensor. What is not a sum is one term.
LinearForm formOf(mlir::Value tensor, int64_t index);

/// Returns `high - low` if the computed elements cancel out.
std::optional<int64_t> differenceOf(const LinearForm &high, const LinearForm &low);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDS_LINEARFORMS_H
