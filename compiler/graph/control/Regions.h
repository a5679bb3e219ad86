// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes over branches and loops do to their regions.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_REGIONS_H
#define NACRE_COMPILER_GRAPH_CONTROL_REGIONS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace nacre::graph {

/// The branches and loops in `top`, those inside of others first.
llvm::SmallVector<mlir::Operation *> findControl(mlir::Operation *top);

/// The one number that the constant `value` holds.
std::optional<double> getNumber(mlir::Value value);

/// Whether `value` is computed outside of the loop or branch `op`.
bool isOutside(mlir::Value value, mlir::Operation *op);

/// Moves the operators of `block`, a region of `op`, before it, its arguments replaced. What its terminator hands over:
/// carried values, then rows.
llvm::SmallVector<mlir::Value> inlineBefore(mlir::RewriterBase &rewriter, mlir::Block &block, mlir::Operation *op,
                                            mlir::ValueRange arguments);

/// What of a loop's values stays.
struct KeptValues {
  llvm::SmallBitVector carried, stacks, scanned;
};

/// Drops the values of a loop that are not kept. Nothing may use their results, and their arguments only what computes the same
/// values of the next turn. The loop that is left.
mlir::Operation *dropValues(mlir::RewriterBase &rewriter, mlir::Operation *loop, const KeptValues &kept);

/// Drops the results of a branch that are not kept, which nothing may use; all of it where none is.
void dropResults(mlir::RewriterBase &rewriter, nn::IfOp op, const llvm::SmallBitVector &kept);

/// Erases what nothing uses, the last operators first.
void eraseUnused(mlir::RewriterBase &rewriter, mlir::Block &block);

/// Every `step`th of an axis' elements, `count` of them.
struct Rows {
  int64_t first, count, step;
};

/// What a loop scans to have these elements of `value` along `axis`, turn by turn: they come first.
mlir::Value makeRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis, Rows rows);

/// Row `index` of `rows`, without the axis.
mlir::Value makeRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value rows, int64_t index);

/// What loops of either kind have in common.
mlir::OperandRange getInitial(mlir::Operation *loop);
mlir::ResultRange getFinals(mlir::Operation *loop);
mlir::ResultRange getStacks(mlir::Operation *loop);
nn::YieldOp getYield(mlir::Operation *loop);
mlir::Region &getBody(mlir::Operation *loop);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_REGIONS_H
