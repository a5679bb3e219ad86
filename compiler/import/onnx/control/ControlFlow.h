// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Loop and Scan have in common: how far they are written out, and how rows become stacks.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H
#define NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H

#include "compiler/import/GraphView.h"

namespace nacre::importer::onnx_format {

/// How many turns a loop may be written out to.
constexpr int64_t mostTurns = 128;

/// Whether so many turns, and their nodes, may be written out; reports an error if not.
bool allowsTurns(OperandBinder &node, const NodeGraph &body, int64_t turns);

/// `slice` with an axis of one element in front of the others, or at `axis`.
mlir::Value unsqueeze(NnBuilder &nn, mlir::Value slice, int64_t axis = 0);

/// What a turn adds to each stack, joined; a loop of no turns has stacks of no rows.
mlir::Value joinStack(OperandBinder &node, llvm::ArrayRef<mlir::Value> rows, const GraphValue &output, int64_t axis);

/// Tries to import a loop written out, where `isKnown` says that its turns are, and then as one; reports what has stopped the
/// first.
void importLoopOrTurns(OperandBinder &node, llvm::function_ref<void()> asLoop, bool isKnown,
                       llvm::function_ref<void()> asTurns);

void registerBranches(ImportRegistry &registry);
void registerLoops(ImportRegistry &registry);
void registerScans(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_CONTROL_CONTROLFLOW_H
