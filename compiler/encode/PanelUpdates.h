// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  contractions that write what a state becomes into the panels that it lies in.
// Why:   the gradient of a weight is a tile of the weight's panels, so its kernel updates weight and moments where they lie, and no
//        memory ever holds the gradient.
// How:   1. which arguments of a kernel may be in panels;
//        2. the kernel gets their encoding. A tile has a panel of the result, so what a launch packed for the kernel is packed as wide.

#ifndef NACRE_COMPILER_ENCODE_PANELUPDATES_H
#define NACRE_COMPILER_ENCODE_PANELUPDATES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace nacre::encode {

/// An update's launches, which all have the same arguments in panels.
struct PanelUpdate {
  llvm::SmallVector<unsigned> arguments;
  llvm::SmallVector<plan::LaunchOp> launches;
  plan::StorageOp state; ///< One of those that the first launch writes.
};

/// By kernel.
using PanelUpdates = llvm::MapVector<mlir::Operation *, PanelUpdate>;

/// What is of `launch`, of a contraction, a trained state that the kernel reads and writes by rows and columns, if that is all states
/// that it writes, and it writes one; empty where it must write none in panels.
llvm::SmallVector<unsigned> findUpdated(plan::LaunchOp launch, plan::KernelOp kernel);

/// Lets the kernels have their arguments in panels, for which `encodingOf` has an encoding, or null.
void grantUpdates(mlir::SymbolTable &symbols, PanelUpdates &updates,
                  llvm::function_ref<plan::EncodingAttr(const PanelUpdate &)> encodingOf);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELUPDATES_H
