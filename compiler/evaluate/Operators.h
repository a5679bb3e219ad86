// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates operators of `nn` without regions. One function per operator expresses only its meaning. Operands are in
// the operator's order, with null tensors for missing ones; the verifier has checked all types. Discontinuous operators
// (comparisons, roundings, indices of the largest element) read their operands as stored. If a model divides by 0.1 and
// rounds, 2.5 must be 2.5, as in its own type, not 2.4999999627 as in double.

#ifndef NACRE_COMPILER_EVALUATE_OPERATORS_H
#define NACRE_COMPILER_EVALUATE_OPERATORS_H

#include "compiler/evaluate/Cells.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::evaluate {

using Operands = llvm::ArrayRef<Tensor>;
using Results = llvm::SmallVector<Tensor, 1>;

// One function per operator, in the files of their families; operators with one result return it. The list comes from
// the operators' definitions (`isInterpreted` in dialects/nn/NnOpBase.td). A missing function does not link.
#define ROW(OP, RESULT) RESULT evaluate(nn::OP op, Operands operands);
NN_INTERPRETED_ROWS(ROW)
#undef ROW

/// Returns the results of any such operator. Fails without a diagnostic for other operators.
llvm::FailureOr<Results> evaluate(mlir::Operation *op, Operands operands);

/// True if there is a function above for operators of that name.
bool isEvaluated(llvm::StringRef operatorName);

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_OPERATORS_H
