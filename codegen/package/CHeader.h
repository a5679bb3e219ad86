// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the C header of a compiled model. It declares the model's symbol, and lists inputs and outputs for the author
// of an app.

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
