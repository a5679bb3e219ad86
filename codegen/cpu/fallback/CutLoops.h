// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds, for every operation of a kernel's body, the loop along the kernel's cut axis.
// Why:   a share of the cut axis, and a unit of a share, must compute only their own part. The smallest such part is
//        one index of that loop.
// How:   the analysis goes backwards from the written values. An operation's result has a demanded axis, and the loop's
//        index is a position on it. If the operation reads an operand at that index, this axis of the operand is
//        demanded of the operation that computes it. All other operands are needed whole.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_CUTLOOPS_H
#define NACRE_CODEGEN_CPU_FALLBACK_CUTLOOPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::codegen::cpu {

struct CutLoops {
  /// Loop of each linalg operation. Every index needs the whole result of an operation without such a loop.
  llvm::DenseMap<mlir::Operation *, unsigned> loops;
  /// Cut axis of each written value.
  llvm::SmallVector<int64_t> axes;
};

/// Divides the linalg operations that compute `written`. The first of these values is cut along `axis`, which has
/// length `extent`. `nullopt` if a written value does not come from an operation with a loop along the axis.
std::optional<CutLoops> findCutLoops(llvm::ArrayRef<mlir::Value> written, int64_t axis, int64_t extent);

/// Returns the axis of an operand with the map `map` along which `loop` iterates. `nullopt` if the operand is not read
/// index by index.
std::optional<int64_t> axisOfLoop(mlir::AffineMap map, unsigned loop);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_CUTLOOPS_H
