// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for operators that have an operand with rows. A rule gives rows to the results, too, or reports an error.

#ifndef NACRE_COMPILER_IMPORT_BATCH_RULES_H
#define NACRE_COMPILER_IMPORT_BATCH_RULES_H

#include "compiler/import/batch/BatchRewriter.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::importer::batch {

/// Applies the rule for operators whose operands all broadcast to the result.
mlir::LogicalResult applyBroadcast(mlir::Operation *op, BatchRewriter &rewriter);

// Operators whose operands have the axes of the result. The rows cannot be on an axis along which elements are combined
// or selected.
mlir::LogicalResult apply(nn::ConcatOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::InterleaveOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::SliceOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::PadOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::SoftmaxOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::NormalizeOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::LrnOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::CumulateOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ResampleOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::TopKOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::GatherElementsOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ScatterElementsOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::BitcastOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::QuantizeOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::DequantizeOp op, BatchRewriter &rewriter);

// Operators that add, remove or reorder axes.
mlir::LogicalResult apply(nn::ReshapeOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::TransposeOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ReduceOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ArgReduceOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::GatherOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::GatherNdOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ScatterNdOp op, BatchRewriter &rewriter);

// Operators with a fixed axis for the batch.
mlir::LogicalResult apply(nn::MatMulOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::AttentionOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ConvOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ConvTransposeOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::PoolOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::RecurrentOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::SampleOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::NmsOp op, BatchRewriter &rewriter);

// Operators with regions.
mlir::LogicalResult apply(nn::IfOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ForOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::WhileOp op, BatchRewriter &rewriter);

} // namespace nacre::importer::batch

#endif // NACRE_COMPILER_IMPORT_BATCH_RULES_H
