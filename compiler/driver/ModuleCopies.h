// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a module for a search, and the end of those that the search does not take.
//
// Passes free constants that their module no longer needs, and the context keeps all others as long as it lives. So a
// copy must neither lose bytes to another copy nor leave bytes in the context. Constants are most of a compiler's
// memory.

#ifndef NACRE_COMPILER_DRIVER_MODULECOPIES_H
#define NACRE_COMPILER_DRIVER_MODULECOPIES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre {

/// Returns a copy with separate constants. Both modules share the constants' data, which is freed with the last of
/// them.
mlir::OwningOpRef<mlir::ModuleOp> copyModule(mlir::ModuleOp module);

/// Erases `module`, which may be null, and frees its constants. Only copies of `module` may use the same data.
void discardModule(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_MODULECOPIES_H
