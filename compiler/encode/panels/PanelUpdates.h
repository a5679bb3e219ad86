// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets contractions write the new value of a state directly into the state's panels.
// Why: a tile of a weight's gradient has the same shape as a tile of the weight's panels. The kernel therefore updates
//      weight and moments in place, and the gradient is never stored.
// How: 1. find the arguments of a kernel that may be in panels;
//      2. give them the state's encoding. A tile is one panel wide, so operands that were packed for the kernel get the
//         same width.

#ifndef NACRE_COMPILER_ENCODE_PANELUPDATES_H
#define NACRE_COMPILER_ENCODE_PANELUPDATES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace nacre::encode {

/// Launches of one kernel that updates states. All of these launches have the same arguments in panels.
struct PanelUpdate {
  llvm::SmallVector<unsigned> arguments;
  llvm::SmallVector<plan::LaunchOp> launches;
  plan::StorageOp state; ///< One of the states that the first launch writes.
};

/// Map from a kernel to its update.
using PanelUpdates = llvm::MapVector<mlir::Operation *, PanelUpdate>;

/// Returns the indices of the arguments of `launch` that are trained states, read and written by rows and columns.
/// Returns an empty list if the kernel writes a state in another order, or if the right operand is a weight or a state.
/// Such an operand has its own panel width.
llvm::SmallVector<unsigned> findUpdated(plan::LaunchOp launch, plan::KernelOp kernel);

/// Gives the arguments of the kernels in `updates` the encoding that `encodingOf` returns. If it returns null, a kernel
/// stays unchanged.
void grantUpdates(mlir::SymbolTable &symbols, PanelUpdates &updates,
                  llvm::function_ref<plan::EncodingAttr(const PanelUpdate &)> encodingOf);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELUPDATES_H
