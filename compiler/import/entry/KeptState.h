// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  inputs and outputs that become variables: hidden state that the model keeps.
// Why:   a recurrent network that is fed step by step takes its state as an input and gives it back as an output; an
//        app had better not carry it from one to the other.
// How:   on the imported function, whatever the format was.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
#define NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H

#include "compiler/import/builder/VariableNotes.h"
#include "compiler/import/entry/SettledInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// What is noted of the argument that is a settled input: its name, and which variable it is the value of.
mlir::DictionaryAttr noteInput(mlir::StringAttr name, const SettledInput &input);

/// Makes a variable for each text, `input:output`; `model` normalizes both names, which may hold colons. Fails after an error that
/// names them.
mlir::LogicalResult keepStates(mlir::func::FuncOp function, llvm::ArrayRef<std::string> texts, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
