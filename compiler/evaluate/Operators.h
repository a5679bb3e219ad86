// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates operators of `nn` without regions. Each operator has one function, which expresses only its meaning.
// Operands are in the operator's order, with null tensors for missing ones. The verifier has checked all types.
// Discontinuous operators (comparisons, roundings, indices of the largest element) read their operands rounded to the
// element type. If a model divides by 0.1 and rounds, 2.5 must be 2.5 as in the model's type, not 2.4999999627 as in
// double.

#ifndef NACRE_COMPILER_EVALUATE_OPERATORS_H
#define NACRE_COMPILER_EVALUATE_OPERATORS_H

#include "compiler/evaluate/Cells.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::evaluate {

using Operands = llvm::ArrayRef<Tensor>;
using Results = llvm::SmallVector<Tensor, 1>;

// One function per operator, in the file of its family. A function for an operator with one result returns that tensor.
// The list comes from the definitions of operators (`isInterpreted` in dialects/nn/NnOpBase.td). A missing function is
// an error of the linker.
#define ROW(OP, RESULT) RESULT evaluate(nn::OP op, Operands operands);
NN_INTERPRETED_ROWS(ROW)
#undef ROW

/// Returns the results of `op`. Fails without a diagnostic if there is no function for it above.
llvm::FailureOr<Results> evaluate(mlir::Operation *op, Operands operands);

/// True if there is a function above for operators called `operatorName`.
bool isEvaluated(llvm::StringRef operatorName);

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_OPERATORS_H
