// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks arguments and results that hold the values of variables.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H

#include "dialects/nn/Variables.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace nacre::importer {

/// Marks an argument as the value of the variable `name` at the beginning of a run. `initial` is the value before the
/// first run, or null for zeros. `role` is the purpose of the variable (dialects/nn/Variables.h).
void noteVariable(mlir::NamedAttrList &argument, llvm::StringRef name, mlir::ElementsAttr initial,
                  nn::VariableRole role, mlir::Builder builder);

/// Marks a result as the next value of the variable `name`, which must have the type of the argument. Reports an error
/// if the size of the result is known only at run time.
mlir::LogicalResult noteNextValue(mlir::NamedAttrList &result, llvm::StringRef name, mlir::Location loc);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H
