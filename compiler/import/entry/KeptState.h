// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes variables of pairs of an input and an output: state that the library keeps between runs. A recurrent network
// that runs step by step has its state as an input and an output. Apps should not have to copy it. The code works on
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

/// Returns the attributes of the argument of a settled input: its name, and the variable that it holds.
mlir::DictionaryAttr noteInput(mlir::StringAttr name, const SettledInput &input);

/// Makes a variable for each of `texts`, which has the form `input:output`. `model` normalizes both names, which may
/// contain colons. Reports an error that quotes the names if this fails.
mlir::LogicalResult keepStates(mlir::func::FuncOp function, llvm::ArrayRef<std::string> texts, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
