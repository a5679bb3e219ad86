// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for operators that have an operand with rows. A rule gives rows to the results, too, or reports an error.

#ifndef NACRE_COMPILER_IMPORT_BATCH_RULES_H
#define NACRE_COMPILER_IMPORT_BATCH_RULES_H

#include "compiler/import/batch/BatchRewriter.h"
#include "dialects/nn/NnDialect.h"

namespace nacre::importer::batch {

/// Applies the rule of most operators: rows pass along a parallel axis.
mlir::LogicalResult applyAlongAxes(mlir::Operation *op, BatchRewriter &rewriter);

// Operators whose attributes depend on the batch, or that merge it with other axes.
mlir::LogicalResult apply(nn::SliceOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ReshapeOp op, BatchRewriter &rewriter);

// Operators with regions.
mlir::LogicalResult apply(nn::IfOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::ForOp op, BatchRewriter &rewriter);
mlir::LogicalResult apply(nn::WhileOp op, BatchRewriter &rewriter);

} // namespace nacre::importer::batch

#endif // NACRE_COMPILER_IMPORT_BATCH_RULES_H
