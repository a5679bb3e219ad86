// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Loop and Scan have in common: how rows become stacks.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H
#define NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H

#include "compiler/import/control/NodeGraphs.h"

namespace nacre::importer::onnx_format {

/// `slice` with an axis of one element in front of the others, or at `axis`.
mlir::Value unsqueeze(NnBuilder &nn, mlir::Value slice, int64_t axis = 0);

/// What an iteration adds to each stack, joined; a loop of no iterations has stacks of no rows.
mlir::Value joinStack(OperandBinder &node, llvm::ArrayRef<mlir::Value> rows, const GraphValue &output, int64_t axis);

/// Adds the handlers of all files here to the registry.
void registerControlFlow(ImportRegistry &registry);
void registerBranches(ImportRegistry &registry);
void registerLoops(ImportRegistry &registry);
void registerScans(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H
