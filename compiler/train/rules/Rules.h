// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of GradientRules.cpp, by family. Each gives the gradients of its operator's operands; names are those of
// the operators.

#ifndef NACRE_COMPILER_TRAIN_RULES_RULES_H
#define NACRE_COMPILER_TRAIN_RULES_RULES_H

#include "compiler/train/GradientRules.h"

namespace nacre::train {

// Elementwise.cpp
llvm::LogicalResult reverseUnary(nn::UnaryOp op, Adjoint &at);
llvm::LogicalResult reverseBinary(nn::BinaryOp op, Adjoint &at);
llvm::LogicalResult reverseSelect(nn::SelectOp op, Adjoint &at);
llvm::LogicalResult reverseCast(nn::CastOp op, Adjoint &at);

// Contractions.cpp
llvm::LogicalResult reverseMatMul(nn::MatMulOp op, Adjoint &at);
llvm::LogicalResult reverseConv(nn::ConvOp op, Adjoint &at);
llvm::LogicalResult reverseConvTranspose(nn::ConvTransposeOp op, Adjoint &at);
llvm::LogicalResult reverseFilterGradient(nn::FilterGradientOp op, Adjoint &at);
llvm::LogicalResult reverseAttention(nn::AttentionOp op, Adjoint &at);

// Windows.cpp
llvm::LogicalResult reversePool(nn::PoolOp op, Adjoint &at);
llvm::LogicalResult reverseUnpool(nn::UnpoolOp op, Adjoint &at);
llvm::LogicalResult reverseLrn(nn::LrnOp op, Adjoint &at);

// Reductions.cpp
llvm::LogicalResult reverseReduce(nn::ReduceOp op, Adjoint &at);
llvm::LogicalResult reverseCumulate(nn::CumulateOp op, Adjoint &at);
llvm::LogicalResult reverseSoftmax(nn::SoftmaxOp op, Adjoint &at);
llvm::LogicalResult reverseNormalize(nn::NormalizeOp op, Adjoint &at);

// Movement.cpp
llvm::LogicalResult reverseReshape(nn::ReshapeOp op, Adjoint &at);
llvm::LogicalResult reverseBroadcast(nn::BroadcastOp op, Adjoint &at);
llvm::LogicalResult reverseTranspose(nn::TransposeOp op, Adjoint &at);
llvm::LogicalResult reverseConcat(nn::ConcatOp op, Adjoint &at);
llvm::LogicalResult reverseInterleave(nn::InterleaveOp op, Adjoint &at);
llvm::LogicalResult reverseSlice(nn::SliceOp op, Adjoint &at);
llvm::LogicalResult reversePad(nn::PadOp op, Adjoint &at);
llvm::LogicalResult reverseResample(nn::ResampleOp op, Adjoint &at);

// Indexed.cpp
llvm::LogicalResult reverseGather(nn::GatherOp op, Adjoint &at);
llvm::LogicalResult reverseGatherNd(nn::GatherNdOp op, Adjoint &at);
llvm::LogicalResult reverseGatherElements(nn::GatherElementsOp op, Adjoint &at);
llvm::LogicalResult reverseScatterNd(nn::ScatterNdOp op, Adjoint &at);
llvm::LogicalResult reverseScatterElements(nn::ScatterElementsOp op, Adjoint &at);
llvm::LogicalResult reverseTopK(nn::TopKOp op, Adjoint &at);
llvm::LogicalResult reverseSample(nn::SampleOp op, Adjoint &at);

// Control.cpp
llvm::LogicalResult reverseFor(nn::ForOp op, Adjoint &at);
llvm::LogicalResult reverseIf(nn::IfOp op, Adjoint &at);
llvm::LogicalResult reverseWhile(nn::WhileOp op, Adjoint &at);
llvm::LogicalResult reverseRecurrent(nn::RecurrentOp op, Adjoint &at);

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_RULES_RULES_H
