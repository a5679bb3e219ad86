// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs that become variables: state that the library keeps between runs. A recurrent network that runs
// step by step has its state as an input and an output. Apps should not copy it from one to the other. This works on
// the imported function of any format.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
#define NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H

#include "compiler/import/builder/VariableNotes.h"
#include "compiler/import/entry/SettledInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// Returns the note of a settled input's argument: its name, and the variable whose value it is.
mlir::DictionaryAttr noteInput(mlir::StringAttr name, const SettledInput &input);

/// Makes a variable for each text `input:output`. `model` normalizes both names, which may contain colons. Reports an
/// error that names them if that fails.
mlir::LogicalResult keepStates(mlir::func::FuncOp function, llvm::ArrayRef<std::string> texts, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
