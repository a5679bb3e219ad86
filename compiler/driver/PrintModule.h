// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the module that `--compile-to=` writes.

#ifndef NACRE_COMPILER_DRIVER_PRINTMODULE_H
#define NACRE_COMPILER_DRIVER_PRINTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre {

/// Prints `module` without its resources, which MLIR's printer would read and write as text.
void printWithoutResources(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_PRINTMODULE_H
