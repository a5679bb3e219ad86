// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms regions, for passes on branches and loops.

#ifndef NACRE_COMPILER_GRAPH_REGIONS_H
#define NACRE_COMPILER_GRAPH_REGIONS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace nacre::graph {

/// Returns the branches and loops in `top`, inner ones before outer ones.
llvm::SmallVector<mlir::Operation *> findControl(mlir::Operation *top);

/// Returns the value of the one-element constant `value`. Returns `nullopt` for other values.
std::optional<double> getNumber(mlir::Value value);

/// True if `value` is computed outside of the loop or branch `op`.
bool isOutside(mlir::Value value, mlir::Operation *op);

/// Moves the operators of `block`, a region of `op`, to before `op`. Replaces the block arguments by `arguments`.
/// Returns the operands of the terminator: carried values, then rows.
llvm::SmallVector<mlir::Value> inlineBefore(mlir::RewriterBase &rewriter, mlir::Block &block, mlir::Operation *op,
                                            mlir::ValueRange arguments);

/// Sets of values of a loop that stay, with one bit per value.
struct KeptValues {
  llvm::SmallBitVector carried, stacks, scanned;
};

/// Removes all values of a loop that are not in `kept`, and returns the new loop. The results of removed values must be
/// unused. Their arguments may be used only to compute their own next values.
mlir::Operation *dropValues(mlir::RewriterBase &rewriter, mlir::Operation *loop, const KeptValues &kept);

/// Removes all results of a branch that are not in `kept`. These must be unused. Erases the branch if no result stays.
void dropResults(mlir::RewriterBase &rewriter, nn::IfOp op, const llvm::SmallBitVector &kept);

/// Erases unused operators, the last ones first.
void eraseUnused(mlir::RewriterBase &rewriter, mlir::Block &block);

/// Selection of `count` elements of an axis, beginning at `first`, at distance `step`.
struct Rows {
  int64_t first, count, step;
};

/// Returns the elements `rows` of `value` along `axis` as an operand to scan, in which this axis is the first one.
mlir::Value makeRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis, Rows rows);

/// Returns row `index` of the first axis of `rows`, without this axis.
mlir::Value makeRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value rows, int64_t index);

/// Accessors of the parts that nn.for and nn.while have in common.
mlir::OperandRange getInitial(mlir::Operation *loop);
mlir::ResultRange getFinals(mlir::Operation *loop);
mlir::ResultRange getStacks(mlir::Operation *loop);
nn::YieldOp getYield(mlir::Operation *loop);
mlir::Region &getBody(mlir::Operation *loop);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_REGIONS_H
