// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a function for one batch becomes the function for another.
// Why:   exporters write the batch into shapes, constants and initial states, so a model cannot just be imported with another one.
// How:   from the inputs on, each operator's rule says where the rows of its results are, and repeats operands that are the same for
//        all rows. An operator that would combine rows has no rule, and is an error. So row i of each result is what the function
//        computed from row i of its inputs, whatever the rows are.

#ifndef NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H
#define NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H

#include "compiler/import/batch/BatchAxis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::importer {

/// The change of a batch: the sizes before and after, and the inputs that have it.
struct BatchChange {
  struct Input {
    unsigned argument;
    int64_t axis;
  };
  int64_t stated = 1, wanted = 1;
  bool isTrained = false; ///< Whether training may have another batch, as an error then says.
  llvm::SmallVector<Input> inputs;
};

/// Changes the batch of `function`, which computes values for the stated batch. Variables that depend on the inputs get a value for
/// each row. Reports an error at the first operator that combines rows.
llvm::LogicalResult changeBatch(mlir::func::FuncOp function, const BatchChange &change);

/// Finds where the rows of a result of `function` are; nothing if it has none. Fails, without an error, if an operator that the result
/// depends on combines rows. `function` stays as it is.
llvm::FailureOr<std::optional<BatchPlace>> findRows(mlir::func::FuncOp function, unsigned result, int64_t batch,
                                                    llvm::ArrayRef<BatchChange::Input> inputs);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_CHANGEBATCH_H
