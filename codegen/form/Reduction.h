// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operation that folds values into an accumulator in the body of a reduction.
// Why:   several accumulators can be folded in any order if the operation and its identity are known.
// How:   the yielded value must be `op(accumulator, value)`.

#ifndef NACRE_CODEGEN_FORM_REDUCTION_H
#define NACRE_CODEGEN_FORM_REDUCTION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace nacre::codegen {

struct Reduction {
  mlir::Operation *op = nullptr;
  mlir::TypedAttr identity;
};

/// Returns the reduction that computes the result with index `result`. The accumulators must be the last arguments of
/// `body`.
std::optional<Reduction> findReduction(mlir::Block &body, unsigned result);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_REDUCTION_H
