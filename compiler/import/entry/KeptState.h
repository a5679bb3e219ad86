// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  inputs and outputs that become variables: hidden state that the model keeps.
// Why:   a recurrent network that is fed step by step takes its state as an input and gives it back as an output; an
//        app had better not carry it from one to the other.
// How:   on the imported function, whatever the format was.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
#define NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace nacre::importer {

/// Makes an argument what the variable `name` was when the run began; `initial` is what it is before the first one, null: zeros; `role`
/// what it is for (dialects/nn/Variables.h).
void keepArgument(mlir::func::FuncOp function, unsigned argument, llvm::StringRef name, mlir::ElementsAttr initial,
                  llvm::StringRef role = "");

/// Makes a result what the variable `name` becomes, a tensor of the argument's type; fails after an error where a run decides how
/// large it is.
mlir::LogicalResult keepResult(mlir::func::FuncOp function, unsigned result, llvm::StringRef name);

/// Each text is `input:output`; names may hold colons, too, and are `normalize`d before they are looked for. Fails after a
/// diagnostic that names them.
mlir::LogicalResult keepStates(mlir::func::FuncOp function, llvm::ArrayRef<std::string> texts,
                               llvm::function_ref<std::string(llvm::StringRef)> normalize);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTSTATE_H
