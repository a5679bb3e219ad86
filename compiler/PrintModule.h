// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the text of a module that `--compile-to=` writes.

#ifndef NACRE_COMPILER_PRINTMODULE_H
#define NACRE_COMPILER_PRINTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre {

/// Without its resources, which a module's own printer would read and write out as text.
void printWithoutResources(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace nacre

#endif // NACRE_COMPILER_PRINTMODULE_H
