// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors from inside of a model that become results, so that somebody can look at them (`--keep`).

#ifndef NACRE_COMPILER_IMPORT_ENTRY_KEPTVALUES_H
#define NACRE_COMPILER_IMPORT_ENTRY_KEPTVALUES_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/KeptTensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::importer {

/// Makes results of what the nodes of `graph` compute, in their order, but for what is a result already, is known when the model is
/// compiled, or is an argument or an earlier tensor under another name: all of them, or those that `kept` names. All results that nodes
/// compute are marked `nn.kept`. `find` gives the value of a name, null where a run decides its size. Fails after an error where there is no
/// tensor of a name.
mlir::LogicalResult keepValues(mlir::func::FuncOp function, const ModelView &model, const GraphView &graph,
                               llvm::function_ref<mlir::Value(llvm::StringRef)> find, const KeptTensors &kept);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_KEPTVALUES_H
