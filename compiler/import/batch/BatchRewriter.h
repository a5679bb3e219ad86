// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a change of the batch, and the operations that the rules of operators use. Values that depend on rows are
// recorded with their BatchAxis, and already have the type for the wanted batch. All other values are the same for all
// rows. Rows pass along the iteration axes of operators (dialects/nn/Axes.h).

#ifndef NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H
#define NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H

#include "compiler/import/batch/BatchAxis.h"
#include "dialects/nn/Axes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::importer {

class BatchRewriter {
public:
  /// Creates a rewriter. If `isTrained`, messages say that the batch of training can be chosen separately.
  BatchRewriter(int64_t stated, int64_t wanted, bool isTrained)
      : stated(stated), wanted(wanted), isTrained(isTrained) {}

  int64_t getStated() const { return stated; }
  int64_t getWanted() const { return wanted; }

  /// Returns the place of the rows of `value`, or null if `value` is the same for all rows.
  const BatchAxis *find(mlir::Value value) const;
  bool hasRows(mlir::Value value) const { return find(value) != nullptr; }
  /// Returns the shape of `value` for the stated batch.
  llvm::SmallVector<int64_t> getStatedShape(mlir::Value value) const;
  /// Records that `value`, whose type is still for the stated batch, has rows at `place`.
  void set(mlir::Value value, const BatchAxis &place);
  /// Returns a place for rows in a value without rows. Prefers the places of rows in `likely`; otherwise, it chooses
  /// the first axis whose size is the stated batch. Returns `nullopt` if no axis fits.
  std::optional<BatchAxis> guess(mlir::Value value, llvm::ArrayRef<mlir::Value> likely = {}) const;

  /// Returns the iteration axes of `op` for the stated batch, to which its attributes and results belong. The rows of
  /// its operands already have the wanted one.
  nn::Axes getStatedAxes(mlir::Operation *op) const;
  /// Moves the rows of all operands of `op` to one of the parallel `axes`, and gives rows to its results. Repeats
  /// operands without rows if necessary. Returns false and changes nothing if that is impossible.
  bool passRows(mlir::Operation *op, llvm::ArrayRef<nn::Axis> axes);

  /// Moves the rows of one operand to `place`, an axis of the operand. Fails without an error if that is impossible.
  mlir::LogicalResult conform(mlir::OpOperand &operand, const BatchPlace &place);

  /// Reports why rows cannot be computed separately: "..., but this operator <reason>". `reason` may also have its own
  /// subject.
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason) const;
  mlir::LogicalResult refuse(mlir::Location loc, const llvm::Twine &reason) const;

  /// Returns the initial value of a variable for the wanted batch, or null if its rows differ or cannot be read.
  mlir::ElementsAttr repeat(mlir::ElementsAttr elements, const BatchPlace &place) const;

private:
  bool canConform(mlir::OpOperand &operand, const BatchPlace &place) const;
  bool canPass(mlir::Operation *op, const nn::Axis &axis, const BatchPlace &place) const;
  bool needsRows(mlir::OpOperand &operand, const nn::Axis &axis) const;
  bool hasEqualRows(mlir::Value value, const BatchPlace &place) const;
  mlir::Value move(mlir::OpBuilder &builder, mlir::Value value, const BatchPlace &place);
  mlir::Value repeat(mlir::OpBuilder &builder, mlir::Value value, const BatchPlace &place);
  mlir::RankedTensorType getWantedType(mlir::RankedTensorType type, const BatchPlace &place) const;

  const int64_t stated, wanted;
  const bool isTrained;
  llvm::DenseMap<mlir::Value, BatchAxis> places;
};

/// Rewrites all operators of a block in order, except its terminator. Reports an error at the first operator that
/// combines rows.
mlir::LogicalResult rewriteBlock(mlir::Block &block, BatchRewriter &rewriter);
/// True if `op` uses a value for which `isKnown` holds, directly or in its regions.
bool dependsOn(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isKnown);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H
