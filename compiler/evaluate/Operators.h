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

// Elementwise.cpp
Tensor evaluate(nn::UnaryOp op, Operands operands);
Tensor evaluate(nn::BinaryOp op, Operands operands);
Tensor evaluate(nn::SelectOp op, Operands operands);
Tensor evaluate(nn::CastOp op, Operands operands);
Tensor evaluate(nn::RequantizeOp op, Operands operands);
Tensor evaluate(nn::BitcastOp op, Operands operands);

// Contractions.cpp
Tensor evaluate(nn::MatMulOp op, Operands operands);
Tensor evaluate(nn::AttentionOp op, Operands operands);
Tensor evaluate(nn::ConvOp op, Operands operands);
Tensor evaluate(nn::ConvTransposeOp op, Operands operands);
Tensor evaluate(nn::FilterGradientOp op, Operands operands);

// Recurrences.cpp
Results evaluate(nn::RecurrentOp op, Operands operands);

// Windows.cpp
Tensor evaluate(nn::PoolOp op, Operands operands);
Tensor evaluate(nn::PoolCodeOp op, Operands operands);
Tensor evaluate(nn::UnpoolOp op, Operands operands);
Tensor evaluate(nn::LrnOp op, Operands operands);

// Reductions.cpp
Tensor evaluate(nn::ReduceOp op, Operands operands);
Tensor evaluate(nn::ArgReduceOp op, Operands operands);
Tensor evaluate(nn::SoftmaxOp op, Operands operands);
Tensor evaluate(nn::NormalizeOp op, Operands operands);
Tensor evaluate(nn::CumulateOp op, Operands operands);

// Movement.cpp
Tensor evaluate(nn::ReshapeOp op, Operands operands);
Tensor evaluate(nn::BroadcastOp op, Operands operands);
Tensor evaluate(nn::TransposeOp op, Operands operands);
Tensor evaluate(nn::ConcatOp op, Operands operands);
Tensor evaluate(nn::InterleaveOp op, Operands operands);
Tensor evaluate(nn::SliceOp op, Operands operands);
Tensor evaluate(nn::PadOp op, Operands operands);

// Sampling.cpp
Tensor evaluate(nn::ResampleOp op, Operands operands);
Tensor evaluate(nn::SampleOp op, Operands operands);

// Indexed.cpp
Tensor evaluate(nn::GatherOp op, Operands operands);
Tensor evaluate(nn::GatherNdOp op, Operands operands);
Tensor evaluate(nn::GatherElementsOp op, Operands operands);
Tensor evaluate(nn::ScatterNdOp op, Operands operands);
Tensor evaluate(nn::ScatterElementsOp op, Operands operands);

// Selections.cpp
Results evaluate(nn::TopKOp op, Operands operands);
Tensor evaluate(nn::CompactOp op, Operands operands);
Results evaluate(nn::UniqueOp op, Operands operands);
Results evaluate(nn::NmsOp op, Operands operands);

/// The results of any of them; fails without a word where the operator is none of them.
llvm::FailureOr<Results> evaluate(mlir::Operation *op, Operands operands);

/// Whether there is a function above for operators of that name.
bool isEvaluated(llvm::StringRef operatorName);

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_OPERATORS_H
