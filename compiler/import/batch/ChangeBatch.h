// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the batch of a function. Exporters write the batch into shapes, constants and initial states, so a model
// cannot simply be imported at another one. From the inputs on, the rule of each operator finds the rows of its
// results, and repeats operands that are the same for all rows. An operator that combines rows has no rule and is an
// error. So row i of each result depends only on row i of the inputs.

#ifndef NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H
#define NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H

#include "compiler/import/batch/BatchAxis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::importer {

/// Change of a batch: its sizes before and after, and the inputs that have it.
struct BatchChange {
  struct Input {
    unsigned argument;
    int64_t axis;
  };
  int64_t stated = 1, wanted = 1;
  bool isTrained = false; ///< errors say that training can have another batch
  llvm::SmallVector<Input> inputs;
};

/// Changes the batch of `function` from the stated to the wanted one. Variables that depend on the inputs get a value
/// for each row. Reports an error at the first operator that combines rows.
llvm::LogicalResult changeBatch(mlir::func::FuncOp function, const BatchChange &change);

/// Returns the place of the rows of a result of `function`; `nullopt` if it has none. Fails without an error if an
/// operator that the result depends on combines rows. Does not change `function`.
llvm::FailureOr<std::optional<BatchPlace>> findRows(mlir::func::FuncOp function, unsigned result, int64_t batch,
                                                    llvm::ArrayRef<BatchChange::Input> inputs);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H
