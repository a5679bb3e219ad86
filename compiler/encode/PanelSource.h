// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the elements of a launch's operand come from, and where a launch that reads them there may stand.
// Why:   a launch that packs an operand does what launches before it only moved for; and what no iteration of a loop writes is packed
//        once, before the loop.
// How:   storages are followed from who reads them to the one launch that writes them; what it reads must be the same until the
//        operand is read.

#ifndef NACRE_COMPILER_ENCODE_PANELSOURCE_H
#define NACRE_COMPILER_ENCODE_PANELSOURCE_H

#include "compiler/encode/StridedReads.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace nacre::encode {

struct PanelSource {
  mlir::Value operand;                          ///< What a pack launch reads,
  StridedRead read;                             ///< and how;
  mlir::Operation *point = nullptr;             ///< it stands before this one.
  llvm::SmallVector<plan::StorageOp> movedBy{}; ///< What was read before, and need not be written for this reader.
};

/// Of an operand of `launch` that is no weight and is read as `read` says.
PanelSource findSource(mlir::SymbolTable &symbols, plan::LaunchOp launch, mlir::Value operand, const StridedRead &read);

/// How often `launch` runs, at most, for once that what stands before `point` does.
int64_t iterationsBetween(mlir::Operation *point, mlir::Operation *launch);

/// Whether both are the same elements of the same storage.
bool isSameSource(const PanelSource &a, const PanelSource &b);

/// Whether `op` has run whenever `point` is reached.
bool isReady(mlir::Operation *op, mlir::Operation *point);

/// Whether a launch between `from` and `to`, which `from` is ready for, may write what `operand` lies in.
bool isWrittenBetween(mlir::Value operand, mlir::Operation *from, mlir::Operation *to);

/// Erases a temporary that nobody reads, and the launch that writes nothing else. Whether there is such a one.
bool eraseIfUnread(plan::StorageOp storage);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELSOURCE_H
