// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the array from which a launch's operand was moved, and the earliest point at which a launch can read it there.
// Why: a pack launch can also do the work of earlier launches that only move elements. Loop-invariant operands are
//      packed once, before the loop.
// How: it follows storages from the reader to their only writer. The storage that this writer reads must not change
//      before the operand is read.

#ifndef NACRE_COMPILER_ENCODE_PANELS_PANELSOURCE_H
#define NACRE_COMPILER_ENCODE_PANELS_PANELSOURCE_H

#include "compiler/encode/panels/StridedReads.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace nacre::encode {

struct PanelSource {
  mlir::Value operand;                          ///< Operand that a pack launch reads.
  StridedRead read;                             ///< Offset and strides of the elements in `operand`.
  mlir::Operation *point = nullptr;             ///< Operation before which to insert the pack launch.
  llvm::SmallVector<plan::StorageOp> movedBy{}; ///< Storages that this reader no longer needs.
};

/// Returns the source of an operand of `launch`. The operand is no weight, and `read` are the elements that the launch
/// reads.
PanelSource findSource(mlir::SymbolTable &symbols, plan::LaunchOp launch, mlir::Value operand, const StridedRead &read);

/// Returns an upper bound of the number of times that `launch` runs for each time that an operation at `point` runs.
int64_t iterationsBetween(mlir::Operation *point, mlir::Operation *launch);

/// True if both sources start at the same constant offset of the same storage.
bool isSameSource(const PanelSource &a, const PanelSource &b);

/// True if `op` has always run when `point` is reached.
bool isReady(mlir::Operation *op, mlir::Operation *point);

/// True if a launch between `from` and `to` may write the storage of `operand`. isReady(`from`, `to`) must be true.
bool isWrittenBetween(mlir::Value operand, mlir::Operation *from, mlir::Operation *to);

/// Erases a temporary that nothing reads, and the launch that writes only this temporary. Returns true if both were
/// erased.
bool eraseIfUnread(plan::StorageOp storage);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELS_PANELSOURCE_H
