// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  inputs and outputs that become variables: hidden state that the model keeps.
// Why:   a recurrent network that is fed step by step takes its state as an input and gives it back as an output; an
//        app had better not carry it from one to the other.
// How:   on the imported function, whatever the format was.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
#define NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H

#include "compiler/import/entry/SettledInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// Notes of an argument that it is what the variable `name` was when the run began; `initial` is what it is before the first one, null:
/// zeros; `role` what it is for (dialects/nn/Variables.h).
void noteVariable(mlir::NamedAttrList &argument, llvm::StringRef name, mlir::ElementsAttr initial, llvm::StringRef role,
                  mlir::Builder builder);

/// What is noted of the argument that is a settled input: its name, and which variable it is the value of.
mlir::DictionaryAttr noteInput(mlir::StringAttr name, const SettledInput &input);

/// Notes of a result that it is what the variable `name` becomes, a tensor of the argument's type; fails after an error where a run decides
/// how large it is.
mlir::LogicalResult noteNextValue(mlir::NamedAttrList &result, llvm::StringRef name, mlir::Location loc);

/// Each text is `input:output`; names may hold colons, too, and are `normalize`d before they are looked for. Fails after a
/// diagnostic that names them.
mlir::LogicalResult keepStates(mlir::func::FuncOp function, llvm::ArrayRef<std::string> texts,
                               llvm::function_ref<std::string(llvm::StringRef)> normalize);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
