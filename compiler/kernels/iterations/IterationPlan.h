// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which loops a GPU takes as one kernel, and in which order an iteration of such a loop computes what it computes.
// Why:   a recurrence has hundreds of iterations, and a launch takes longer than what an iteration computes. Rows of a batch do not meet
//        in it, so a workgroup may take a row through all iterations.
// How:   values have levels: a product is one above its left operand, of which it reads the whole row, and anything else is at the
//        highest level of what it reads. At each level an iteration first stores what is needed of it, columns in parallel, and then
//        computes the products of the next level, columns and parts of their depth in parallel.

#ifndef NACRE_COMPILER_KERNELS_ITERATIONS_ITERATIONPLAN_H
#define NACRE_COMPILER_KERNELS_ITERATIONS_ITERATIONPLAN_H

#include "dialects/nn/NnDialect.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::kernels {

/// One value, or a part of a concatenation, and where its columns are stored.
struct IterationStore {
  enum class Target {
    Row,     ///< The row of `owner`, which products read, or another concatenation's.
    Carried, ///< What the next iteration reads as carried value `number`.
    Stack    ///< The iteration's row of stack `number`.
  };
  mlir::Value value;
  Target target = Target::Row;
  mlir::Value owner;
  unsigned number = 0;
  int64_t column = 0; ///< First column in the target.
};

/// Stores of values that have as many columns: all are computed before any is stored.
struct IterationColumns {
  int64_t columns = 0;
  llvm::SmallVector<IterationStore> stores;
};

struct IterationLevel {
  llvm::SmallVector<IterationColumns> columns;
  llvm::SmallVector<nn::MatMulOp> products; ///< Products that the next level reads.
};

struct IterationPlan {
  int64_t rows = 0; ///< Batch size.
  llvm::SmallVector<IterationLevel> levels;
  llvm::SetVector<mlir::Value> ownRows; ///< Values that a row of an iteration is kept of.
};

/// Returns the columns of a tensor's rows; 1 for a scalar.
int64_t columnsOf(mlir::Value value);

/// The parts that a product's depth is divided into: added up in parallel, and then in order.
int64_t countDepthParts(nn::MatMulOp product);

/// Returns nothing if rows of the batch depend on each other, or if launches are faster.
std::optional<IterationPlan> planIterations(nn::ForOp loop);

/// Marks the loops inside `op` that will be one kernel: those that the GPU computes and planIterations has a plan for. They begin with
/// constants where they began with one number that was broadcast.
void markLoopKernels(mlir::Operation *op);
bool isLoopKernel(mlir::Operation *loop);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ITERATIONS_ITERATIONPLAN_H
