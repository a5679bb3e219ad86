// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the batch of a function. Exporters write the batch into shapes, constants and initial states, so a change of
// the inputs' shapes is not enough. The rewrite goes from the inputs to the outputs. The rule of each operator finds
// the rows of its results, and repeats operands that are the same for all rows. An operator that combines rows has no
// rule, so it is an error. Therefore, row i of each result depends only on row i of the inputs.

#ifndef NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H
#define NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H

#include "compiler/import/batch/BatchAxis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::importer {

/// Change of a batch: the sizes before and after it, and the inputs with a batch.
struct BatchChange {
  struct Input {
    unsigned argument;
    int64_t axis;
  };
  int64_t stated = 1, wanted = 1;
  bool isTrained = false; ///< Errors say that training can have another batch.
  llvm::SmallVector<Input> inputs;
};

/// Changes the batch of `function` from the stated to the wanted size. Variables that depend on the inputs get a value
/// for each row. Reports an error at the first operator that combines rows.
llvm::LogicalResult changeBatch(mlir::func::FuncOp function, const BatchChange &change);

/// Returns the place of the rows of a result of `function`, or `nullopt` if the result has no rows. Fails without an
/// error if the result depends on an operator that combines rows. Does not change `function`.
llvm::FailureOr<std::optional<BatchPlace>> findRows(mlir::func::FuncOp function, unsigned result, int64_t batch,
                                                    llvm::ArrayRef<BatchChange::Input> inputs);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H
