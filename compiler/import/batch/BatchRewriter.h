// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a change of the batch, and the operations of its rules. Values that depend on rows are noted with their
// BatchAxis, and already have the type for the wanted batch. All other values are the same for all rows. A rule reads
// the stated shapes of its operands, aligns the operands, and sets the places of the results.

#ifndef NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H
#define NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H

#include "compiler/import/batch/BatchAxis.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::importer {

class BatchRewriter {
public:
  /// Makes a rewriter; if `isTrained`, messages say that a batch of training can be chosen instead.
  BatchRewriter(int64_t stated, int64_t wanted, bool isTrained)
      : stated(stated), wanted(wanted), isTrained(isTrained) {}

  int64_t getStated() const { return stated; }
  int64_t getWanted() const { return wanted; }

  /// Returns the place of the rows of `value`; null if it is the same for all rows.
  const BatchAxis *find(mlir::Value value) const;
  bool hasRows(mlir::Value value) const { return find(value) != nullptr; }
  /// Returns the shape of `value` for the stated batch.
  llvm::SmallVector<int64_t> getStatedShape(mlir::Value value) const;
  /// Gives rows to `value`, which has its stated type.
  void set(mlir::Value value, const BatchAxis &place);
  /// Returns a place for rows in a value without rows: one of `likely` that fits, else the first axis of the stated
  /// batch. `nullopt` if no axis has it.
  std::optional<BatchAxis> guess(mlir::Value value, llvm::ArrayRef<mlir::Value> likely = {}) const;

  /// Operand that shares axes with a result: its axis `a` is the result's axis `a + shift`.
  struct Aligned {
    mlir::OpOperand *operand;
    int64_t shift = 0;
    bool broadcasts = false; ///< axes of size 1 and missing axes match any size
  };
  using Axes = llvm::function_ref<bool(int64_t)>;
  /// Moves the rows of all operands to one axis of a result of the stated `shape`, which `allows` accepts. Repeats
  /// operands without rows if necessary. Returns `nullopt`, and changes nothing, if that is impossible.
  std::optional<BatchAxis> align(llvm::ArrayRef<Aligned> operands, llvm::ArrayRef<int64_t> shape, Axes allows);
  /// Aligns operands that have the same axes as the result.
  std::optional<BatchAxis> alignAll(llvm::MutableArrayRef<mlir::OpOperand> operands, llvm::ArrayRef<int64_t> shape,
                                    Axes allows);

  /// Moves the rows of one operand to `place`, in its own axes. Fails without an error if that is impossible.
  mlir::LogicalResult conform(mlir::OpOperand &operand, const BatchPlace &place);

  /// Reports the reason why rows are not computed separately: "..., but this operator <reason>", or with its own
  /// subject.
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason) const;
  mlir::LogicalResult refuse(mlir::Location loc, const llvm::Twine &reason) const;

  /// Returns the initial elements of a variable for the wanted batch. Null if its rows differ or cannot be read.
  mlir::ElementsAttr repeat(mlir::ElementsAttr elements, const BatchPlace &place) const;

private:
  bool canConform(mlir::OpOperand &operand, const BatchPlace &place) const;
  bool hasEqualRows(mlir::Value value, const BatchPlace &place) const;
  mlir::Value move(mlir::OpBuilder &builder, mlir::Value value, const BatchPlace &place);
  mlir::Value repeat(mlir::OpBuilder &builder, mlir::Value value, const BatchPlace &place);
  mlir::RankedTensorType getWantedType(mlir::RankedTensorType type, const BatchPlace &place) const;

  const int64_t stated, wanted;
  const bool isTrained;
  llvm::DenseMap<mlir::Value, BatchAxis> places;
};

/// Rewrites all operators of a block in order, except its terminator. Reports an error at the first one that combines
/// rows.
mlir::LogicalResult rewriteBlock(mlir::Block &block, BatchRewriter &rewriter);
/// True if an operator depends on a value for which `isKnown` holds, directly or through its regions.
bool dependsOn(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isKnown);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H
