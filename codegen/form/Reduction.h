// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operation by which a reduction's body folds values into its accumulator.
// Why:   several accumulators can be folded in any order once the operation and its identity are known.
// How:   the yielded value is `op(accumulator, anything else)`.

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

/// Of result `result` of a body whose accumulators are its last arguments.
std::optional<Reduction> findReduction(mlir::Block &body, unsigned result);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_REDUCTION_H
