// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the value of each operator of `nn` without regions.
// Why:   one function for each operator, which says what it means and nothing else.
// How:   operands come in the operator's order, those that are left out too, as null tensors; all types are as the verifier
//        has found them. Operators with a leap in what they compute (a comparison, a rounding, an index of the largest) read
//        their operands as stored: where a model divides by 0.1 and rounds, 2.5 must be 2.5, as its author saw it, and
//        not the 2.4999999627 that it is in double.

#ifndef NACRE_COMPILER_EVALUATE_OPERATORS_H
#define NACRE_COMPILER_EVALUATE_OPERATORS_H

#include "compiler/evaluate/Cells.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::evaluate {

using Operands = llvm::ArrayRef<Tensor>;
using Results = llvm::SmallVector<Tensor, 1>;

// A function for each operator, in the files of their families; of those with one result it returns that. They are made of the
// operators' definitions (`isInterpreted` in dialects/nn/NnOpBase.td): a function that is missing does not link.
#define ROW(OP, RESULT) RESULT evaluate(nn::OP op, Operands operands);
NN_INTERPRETED_ROWS(ROW)
#undef ROW

/// The results of any of them; fails without a word where the operator is none of them.
llvm::FailureOr<Results> evaluate(mlir::Operation *op, Operands operands);

/// Whether there is a function above for operators of that name.
bool isEvaluated(llvm::StringRef operatorName);

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_OPERATORS_H
