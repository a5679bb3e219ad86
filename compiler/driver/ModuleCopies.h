// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: copies of a module for a search, and the end of those that it does not take.
// Why:  passes free constants that their module no longer needs, and the context keeps all others for as long as it lives: a copy
//       must neither lose bytes to another one nor leave them behind. They are most of a compiler's memory.

#ifndef NACRE_COMPILER_MODULECOPIES_H
#define NACRE_COMPILER_MODULECOPIES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre {

/// Returns a copy with constants of its own. Both share the bytes, which are freed with the last of the two.
mlir::OwningOpRef<mlir::ModuleOp> copyModule(mlir::ModuleOp module);

/// Erases `module`, which may be null, and frees its constants. No other module may have them but copies.
void discardModule(mlir::OwningOpRef<mlir::ModuleOp> module);

} // namespace nacre

#endif // NACRE_COMPILER_MODULECOPIES_H
