// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a checked model of any format to functions of `nn` operators, one per entry.

#ifndef NACRE_COMPILER_IMPORT_GRAPHIMPORTER_H
#define NACRE_COMPILER_IMPORT_GRAPHIMPORTER_H

#include "compiler/import/Import.h"
#include "compiler/import/model/GraphView.h"

namespace nacre::importer {

/// Implements importModel for a model that has been read, and adds the model's nodes to `nodes`. Returns null after an
/// error.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(ModelView &model, const ImportOptions &options,
                                              mlir::MLIRContext *context, const KeptTensors &kept = {},
                                              ImportedNodes *nodes = nullptr);

/// Implements checkModel for a model that has been read.
void checkGraph(ModelView &model, const ImportOptions &options, mlir::MLIRContext *context, CheckResult &result);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_GRAPHIMPORTER_H
