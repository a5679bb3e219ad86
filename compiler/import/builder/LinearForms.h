// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of integer tensors as sums of constants and multiples of computed elements.
//
// Exporters write `x[n : n + 2]` as two computed positions, and the shape of x as a computed tensor. The size of a
// slice is known if the difference of its positions is known. A shape is known if it consists of sizes of x.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_LINEARFORMS_H
#define NACRE_COMPILER_IMPORT_BUILDER_LINEARFORMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Sum of a constant and multiples of elements that are computed at run time.
struct LinearForm {
  struct Term {
    mlir::Value tensor;
    int64_t index;  ///< index of the element in row-major order
    int64_t factor; ///< factor of the element; never 0
  };
  int64_t constant = 0;
  llvm::SmallVector<Term, 2> terms;
};

/// Element of a tensor.
struct Element {
  mlir::Value tensor;
  int64_t index = 0; ///< index in row-major order
};

/// Returns the element from which `element` is only moved, without a change of its value. Returns `nullopt` if it is
/// computed.
std::optional<Element> findSource(const Element &element);

/// Returns the form of element `index`, in row-major order, of an integer tensor. An element that is not a sum has one
/// term.
LinearForm formOf(mlir::Value tensor, int64_t index);

/// Returns `high - low` if the computed elements cancel out. Otherwise, returns `nullopt`.
std::optional<int64_t> differenceOf(const LinearForm &high, const LinearForm &low);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_LINEARFORMS_H
