// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the model's nodes for the report: operator, shapes, window, strides.
// Why: a launch computes several nodes in the compiler's layout. Readers of the report know the nodes, in the model's
//      layout.
// How: the importer lists operators and shapes. Windows are attributes of `nn` operators, whose locations are their
//      nodes.

#ifndef NACRE_COMPILER_REPORT_DESCRIBENODES_H
#define NACRE_COMPILER_REPORT_DESCRIBENODES_H

#include "compiler/import/model/ImportedNodes.h"
#include "compiler/report/CompileReport.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre {

/// Returns a report for each node, in order. `module` is the imported graph before any phase changes it.
std::vector<NodeReport> describeNodes(llvm::ArrayRef<importer::ImportedNode> nodes, mlir::ModuleOp module);

/// Returns the reports of nodes as JSON, for nodes that a launch computes or whose gradients a launch computes.
llvm::json::Array nodeRows(const CompileReport &report);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBENODES_H
