// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intermediate tensors of a model that become results, so that users can inspect them (`--keep`).

#ifndef NACRE_COMPILER_IMPORT_ENTRY_KEPTVALUES_H
#define NACRE_COMPILER_IMPORT_ENTRY_KEPTVALUES_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/KeptTensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::importer {

/// Adds tensors that nodes of `graph` compute to the results, in the order of the nodes: all, or the ones that `kept`
/// names. Skips results, arguments, constants and further names of a tensor. Marks all results that nodes compute with
/// `nn.kept`. `find` returns the value of a name, or null if its size is known only at run time. Reports an error if a
/// name in `kept` is unknown.
mlir::LogicalResult keepValues(mlir::func::FuncOp function, const ModelView &model, const GraphView &graph,
                               llvm::function_ref<mlir::Value(llvm::StringRef)> find, const KeptTensors &kept);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTVALUES_H
