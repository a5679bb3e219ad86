// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the state of a change of the batch, and what rules do with it.
// How:   values that depend on rows are noted with their BatchAxis, and have the type for the wanted batch already. All other values are
//        the same for all rows. A rule reads the stated shapes of its operands, brings operands to one place, and sets the results.

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
  /// `isTrained` says that a batch of training can be chosen instead.
  BatchRewriter(int64_t stated, int64_t wanted, bool isTrained)
      : stated(stated), wanted(wanted), isTrained(isTrained) {}

  int64_t getStated() const { return stated; }
  int64_t getWanted() const { return wanted; }

  /// Where the rows of `value` are; null if it is the same for all rows.
  const BatchAxis *find(mlir::Value value) const;
  bool hasRows(mlir::Value value) const { return find(value) != nullptr; }
  /// The shape of `value` for the stated batch.
  llvm::SmallVector<int64_t> getStatedShape(mlir::Value value) const;
  /// Gives `value`, which has its stated type, rows.
  void set(mlir::Value value, const BatchAxis &place);
  /// A place for rows in a value without rows: one of `likely` that fits, else the first axis that has the stated batch. Nothing
  /// if no axis has it.
  std::optional<BatchAxis> guess(mlir::Value value, llvm::ArrayRef<mlir::Value> likely = {}) const;

  /// An operand that shares axes with a result: its axis `a` is the result's axis `a + shift`.
  struct Aligned {
    mlir::OpOperand *operand;
    int64_t shift = 0;
    bool broadcasts = false; ///< An axis of size 1, or one that is missing, fits to any size.
  };
  using Axes = llvm::function_ref<bool(int64_t)>;
  /// Brings the rows of all operands to one axis of a result of the stated `shape`, an axis that `allows` accepts. Operands without rows
  /// are repeated if they must be. Nothing, and no change, if that is not possible.
  std::optional<BatchAxis> align(llvm::ArrayRef<Aligned> operands, llvm::ArrayRef<int64_t> shape, Axes allows);
  /// The same for the operands that have the result's axes, all of them.
  std::optional<BatchAxis> alignAll(llvm::MutableArrayRef<mlir::OpOperand> operands, llvm::ArrayRef<int64_t> shape,
                                    Axes allows);

  /// Brings the rows of one operand to `place`, of that operand. Fails, without an error, if it cannot.
  mlir::LogicalResult conform(mlir::OpOperand &operand, const BatchPlace &place);

  /// Reports why rows are not computed separately: "..., but this operator <reason>", or a subject of its own.
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason) const;
  mlir::LogicalResult refuse(mlir::Location loc, const llvm::Twine &reason) const;

  /// The initial elements of a variable, for the wanted batch. Null if its rows differ or cannot be read.
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

/// Rewrites all operators of a block in order, except its terminator. Reports an error at the first one that combines rows.
mlir::LogicalResult rewriteBlock(mlir::Block &block, BatchRewriter &rewriter);
/// Whether an operator depends on one of the values in `known`, directly or by what its regions read.
bool dependsOn(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isKnown);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHREWRITER_H
