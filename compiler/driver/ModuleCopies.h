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

/// Returns a copy with constants of its own. Both share the bytes, which are freed with the last of the two.
mlir::OwningOpRef<mlir::ModuleOp> copyModule(mlir::ModuleOp module);

/// Erases `module`, which may be null, and frees its constants. No other module may have them but copies.
void discardModule(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_MODULECOPIES_H
