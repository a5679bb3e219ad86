// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes on arguments and results that hold the values of variables.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H

#include "dialects/nn/Variables.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace nacre::importer {

/// Notes that an argument is the value of the variable `name` at the beginning of a run. `initial` is its value before
/// the first run; null means zeros. `role` is its purpose (dialects/nn/Variables.h).
void noteVariable(mlir::NamedAttrList &argument, llvm::StringRef name, mlir::ElementsAttr initial,
                  nn::VariableRole role, mlir::Builder builder);

/// Notes that a result is the next value of the variable `name`, a tensor of the argument's type. Reports an error if
/// its size is known only at run time.
mlir::LogicalResult noteNextValue(mlir::NamedAttrList &result, llvm::StringRef name, mlir::Location loc);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H
