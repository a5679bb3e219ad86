// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds, for every operation of a kernel's body, the loop that walks the kernel's cut axis.
// Why:   a share of the cut axis, and a unit of a share, must compute only their part; one index of that loop is the
//        smallest such part.
// How:   from the written values backwards. The loop's index is the position on the demanded axis of an operation's
//        result. Operands that the operation reads at that index demand the same of their producers; other operands are
//        needed whole.

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
  /// The loop of each linalg operation; an operation without one is needed whole by every index.
  llvm::DenseMap<mlir::Operation *, unsigned> loops;
  /// The cut axis of each written value.
  llvm::SmallVector<int64_t> axes;
};

/// Divides the linalg operations that compute `written`, whose first value is cut along `axis`, which has length
/// `extent`. `nullopt` if a written value does not come from an operation that walks the axis.
std::optional<CutLoops> findCutLoops(llvm::ArrayRef<mlir::Value> written, int64_t axis, int64_t extent);

/// Returns the axis of an operand with `map` that loop `loop` walks; `nullopt` if the operand is not read index by
/// index.
std::optional<int64_t> axisOfLoop(mlir::AffineMap map, unsigned loop);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_CUTLOOPS_H
