// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which loops become one GPU kernel, and in which order one iteration computes its values. A recurrence has
// hundreds of iterations, and a launch takes longer than an iteration. Rows of the batch are independent, so one
// workgroup can run all iterations of a row.
//
// Values have levels. The level of a product is one more than the level of its left operand, because the product reads
// whole rows of this operand. The level of any other value is the highest level of its operands. At each level, an
// iteration first stores the values that are needed later, with all columns in parallel. Then it computes the products
// of the next level. Their columns and the parts of their depth run in parallel.

#ifndef NACRE_COMPILER_KERNELS_ITERATIONS_ITERATIONPLAN_H
#define NACRE_COMPILER_KERNELS_ITERATIONS_ITERATIONPLAN_H

#include "dialects/nn/NnDialect.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::kernels {

/// Value (or part of a concatenation) and the destination of its columns.
struct IterationStore {
  enum class Target {
    Row,     ///< Row of the value `owner`, which products or another concatenation read.
    Carried, ///< Carried value with index `number`, for the next iteration.
    Stack    ///< Row of this iteration in the stack with index `number`.
  };
  mlir::Value value;
  Target target = Target::Row;
  mlir::Value owner;
  unsigned number = 0;
  int64_t column = 0; ///< First column in the target.
};

/// Stores of values with the same number of columns. All values are computed before the first one is stored.
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
  llvm::SetVector<mlir::Value> ownRows; ///< Values whose row is kept during an iteration.
};

/// Returns the number of columns of a tensor of rows, or 1 for a scalar.
int64_t columnsOf(mlir::Value value);

/// Returns the number of parts into which a product's depth is divided. The parts are summed in parallel and then added
/// in order.
int64_t countDepthParts(nn::MatMulOp product);

/// Returns the plan of `loop`. Returns `nullopt` if rows of the batch depend on each other, or if launches are faster.
std::optional<IterationPlan> planIterations(nn::ForOp loop);

/// True if one kernel computes all iterations of `loop` (nacre-mark-loops).
bool isLoopKernel(mlir::Operation *loop);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ITERATIONS_ITERATIONPLAN_H
