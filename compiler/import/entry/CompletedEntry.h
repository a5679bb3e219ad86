// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of an entry: what options change about the function as a whole.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_COMPLETEDENTRY_H
#define NACRE_COMPILER_IMPORT_ENTRY_COMPLETEDENTRY_H

#include "compiler/import/entry/SettledInputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::importer {

/// Erases operators that nothing reads. Makes variables of the inputs and outputs that `options.states` pairs, and then changes the batch
/// if the inputs ask for another one than the model states. The state of a run belongs to its rows, so it changes, too. Reports an error
/// if `--shape` leaves nothing to compute.
llvm::LogicalResult completeEntry(mlir::func::FuncOp function, const SettledInputs &inputs,
                                  const ImportOptions &options, const ModelView &model);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_COMPLETEDENTRY_H
