// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes of arguments and results that are values of variables.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H

#include "dialects/nn/Variables.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace nacre::importer {

/// Notes of an argument that it is what the variable `name` was when the run began; `initial` is what it is before the first one, null:
/// zeros; `role` what it is for (dialects/nn/Variables.h).
void noteVariable(mlir::NamedAttrList &argument, llvm::StringRef name, mlir::ElementsAttr initial,
                  nn::VariableRole role, mlir::Builder builder);

/// Notes of a result that it is what the variable `name` becomes, a tensor of the argument's type; fails after an error where a run decides
/// how large it is.
mlir::LogicalResult noteNextValue(mlir::NamedAttrList &result, llvm::StringRef name, mlir::Location loc);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_VARIABLENOTES_H
