// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transformations of regions, for passes on branches and loops.

#ifndef NACRE_COMPILER_GRAPH_REGIONS_H
#define NACRE_COMPILER_GRAPH_REGIONS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace nacre::graph {

/// Returns the branches and loops in `top`, inner ones first.
llvm::SmallVector<mlir::Operation *> findControl(mlir::Operation *top);

/// Returns the number of the one-element constant `value`; `nullopt` for other values.
std::optional<double> getNumber(mlir::Value value);

/// True if `value` is computed outside of the loop or branch `op`.
bool isOutside(mlir::Value value, mlir::Operation *op);

/// Moves the operators of `block`, a region of `op`, before `op`, and replaces its arguments. Returns the operands of
/// its terminator: carried values, then rows.
llvm::SmallVector<mlir::Value> inlineBefore(mlir::RewriterBase &rewriter, mlir::Block &block, mlir::Operation *op,
                                            mlir::ValueRange arguments);

/// Values of a loop to keep, as one bit per value.
struct KeptValues {
  llvm::SmallBitVector carried, stacks, scanned;
};

/// Removes the other values of a loop and returns the new loop. Their results must be unused. Only computations of
/// their own next values may use their arguments.
mlir::Operation *dropValues(mlir::RewriterBase &rewriter, mlir::Operation *loop, const KeptValues &kept);

/// Removes the other results of a branch, which must be unused; erases the branch if no result is kept.
void dropResults(mlir::RewriterBase &rewriter, nn::IfOp op, const llvm::SmallBitVector &kept);

/// Erases unused operators, the last ones first.
void eraseUnused(mlir::RewriterBase &rewriter, mlir::Block &block);

/// Range of `count` elements of an axis at distance `step`.
struct Rows {
  int64_t first, count, step;
};

/// Returns the operand to scan for these elements of `value` along `axis`, which becomes the first axis.
mlir::Value makeRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis, Rows rows);

/// Returns row `index` of `rows`, without the axis.
mlir::Value makeRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value rows, int64_t index);

/// Return the parts that both kinds of loops have.
mlir::OperandRange getInitial(mlir::Operation *loop);
mlir::ResultRange getFinals(mlir::Operation *loop);
mlir::ResultRange getStacks(mlir::Operation *loop);
nn::YieldOp getYield(mlir::Operation *loop);
mlir::Region &getBody(mlir::Operation *loop);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_REGIONS_H
