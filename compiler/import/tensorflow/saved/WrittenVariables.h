// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a run of the model would change.
//
// Why:  a variable that is only read is a constant. One that is written is kept from run to run, or is being trained.
// How:  what an output waits for runs with it, be it that nothing is read of it.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H

#include "compiler/import/tensorflow/CheckedGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// Refuses what runs with these tensors where it writes a variable; `what` is how the error calls it: "the signature 'x'".
/// At the tensors of `inputs` the run begins.
mlir::LogicalResult checkWritesNothing(const CheckedGraph &graph, llvm::ArrayRef<TensorId> inputs,
                                       llvm::ArrayRef<TensorId> outputs, llvm::StringRef what);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_WRITTENVARIABLES_H
