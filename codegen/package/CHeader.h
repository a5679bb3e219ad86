// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the C header of a compiled model: its symbol, and its inputs and outputs for an app's author.

#ifndef NACRE_CODEGEN_PACKAGE_CHEADER_H
#define NACRE_CODEGEN_PACKAGE_CHEADER_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace nacre::package {

/// Returns the text of `<name>.h` for a model exported as `symbol`.
std::string modelHeader(mlir::ModuleOp module, llvm::StringRef modelName, llvm::StringRef symbol);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_CHEADER_H
