// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of the import of an entry: options that change the whole function.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_COMPLETEDENTRY_H
#define NACRE_COMPILER_IMPORT_ENTRY_COMPLETEDENTRY_H

#include "compiler/import/entry/SettledInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Erases operators without uses, and makes variables of the inputs and outputs that `options.states` pairs. Then
/// changes the batch if the inputs have another batch than the model states. The state of a variable has rows, so the
/// batch of variables changes, too. Reports an error if `--shape` leaves nothing to compute.
llvm::LogicalResult completeEntry(mlir::func::FuncOp function, const SettledInputs &inputs,
                                  const ImportOptions &options, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_COMPLETEDENTRY_H
