// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of rows that iterations compute, for Loop and Scan.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H
#define NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H

#include "compiler/import/control/NodeGraphs.h"

namespace nacre::importer::onnx_format {

/// Returns `slice` with a new axis of size 1 at index `axis`.
mlir::Value unsqueeze(NnBuilder &nn, mlir::Value slice, int64_t axis = 0);

/// Joins the rows that iterations add to a stack. A loop without iterations makes a stack without rows, of the type
/// that `output` declares.
mlir::Value joinStack(OperandBinder &node, llvm::ArrayRef<mlir::Value> rows, const GraphValue &output, int64_t axis);

/// Adds the handlers of this folder to the registry.
void registerControlFlow(ImportRegistry &registry);
void registerBranches(ImportRegistry &registry);
void registerLoops(ImportRegistry &registry);
void registerScans(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H
