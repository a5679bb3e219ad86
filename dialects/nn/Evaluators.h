// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of operators that evaluate() dispatches to. Each function takes an operator of its family and views of
// all its operands; the result has elements.

#ifndef NACRE_DIALECTS_NN_EVALUATORS_H
#define NACRE_DIALECTS_NN_EVALUATORS_H

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::nn {

using Views = llvm::ArrayRef<ConstantView>;

/// Unary, binary, select, cast.
mlir::ElementsAttr evaluateElementwise(mlir::Operation *op, Views views);
/// Matmul, reduce, arg_reduce, softmax.
mlir::ElementsAttr evaluateReduction(mlir::Operation *op, Views views);
/// Broadcast, transpose, concat, slice, pad, gather.
mlir::ElementsAttr evaluateMovement(mlir::Operation *op, Views views);

/// Strides with which a row-major array of `shape` is read under the broadcast shape `result`.
llvm::SmallVector<int64_t> broadcastStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> result);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATORS_H
