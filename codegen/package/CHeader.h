// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C header beside a compiled model: its symbol, and its inputs and outputs as an app's author wants to know them.

#ifndef NACRE_CODEGEN_PACKAGE_CHEADER_H
#define NACRE_CODEGEN_PACKAGE_CHEADER_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace nacre::package {

/// The text of `<name>.h` for a model exported as `symbol`.
std::string modelHeader(mlir::ModuleOp module, llvm::StringRef modelName, llvm::StringRef symbol);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_CHEADER_H
