// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which loops a GPU takes as one kernel, and in which order a turn of such a loop computes what it computes.
// Why:   a recurrence has hundreds of turns, and a launch takes longer than what a turn computes. Rows of a batch do not meet in it, so a
//        workgroup may take a row through all turns.
// How:   values have levels: a product is one above its left operand, of which it reads the whole row, and anything else is at the
//        highest level of what it reads. At each level a turn first stores what is needed of it, columns in parallel, and then
//        computes the products of the next level, columns and parts of their depth in parallel.

#ifndef NACRE_COMPILER_KERNELS_TURNS_TURNPLAN_H
#define NACRE_COMPILER_KERNELS_TURNS_TURNPLAN_H

#include "dialects/nn/NnDialect.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::kernels {

/// One value, or a part of a concatenation, and where its columns are stored.
struct TurnStore {
  enum class Target {
    Row,     ///< The row of `owner`, which products read, or another concatenation's.
    Carried, ///< What the next turn reads as carried value `number`.
    Stack    ///< The turn's row of stack `number`.
  };
  mlir::Value value;
  Target target = Target::Row;
  mlir::Value owner;
  unsigned number = 0;
  int64_t column = 0; ///< First column in the target.
};

/// Stores of values that have as many columns: all are computed before any is stored.
struct TurnColumns {
  int64_t columns = 0;
  llvm::SmallVector<TurnStore> stores;
};

struct TurnLevel {
  llvm::SmallVector<TurnColumns> columns;
  llvm::SmallVector<nn::MatMulOp> products; ///< Products that the next level reads.
};

struct TurnPlan {
  int64_t rows = 0; ///< Batch size.
  llvm::SmallVector<TurnLevel> levels;
  llvm::SetVector<mlir::Value> ownRows; ///< Values that a row of a turn is kept of.
};

/// The parts that a product's depth is divided into: added up in parallel, and then in order.
int64_t countDepthParts(nn::MatMulOp product);

/// Returns nothing if rows of the batch depend on each other, or if launches are faster.
std::optional<TurnPlan> planTurns(nn::ForOp loop);

/// Marks the loops inside `op` that will be one kernel: those that the GPU computes and planTurns has a plan for. They begin with
/// constants where they began with one number that was broadcast.
void markTurnKernels(mlir::Operation *op);
bool isTurnKernel(mlir::Operation *loop);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_TURNS_TURNPLAN_H
