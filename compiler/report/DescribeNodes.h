// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Describes the model's nodes for the report: operator, shapes, window, strides.
// Why:   A launch computes several nodes in the compiler's layout. A reader knows the nodes, in the model's layout.
// How:   Reads the imported module, before any phase changes it. Each operator is located at its node. Values that pass from a
//        node to another one are the node's inputs and outputs.

#ifndef NACRE_COMPILER_REPORT_DESCRIBENODES_H
#define NACRE_COMPILER_REPORT_DESCRIBENODES_H

#include "compiler/report/CompileReport.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace nacre {

/// Returns a row for each node that has operators in the module, in order. `operators` maps printable names of nodes to their operators;
/// for a node that it lacks, such as one in a loop, the row has our own operator's name.
std::vector<NodeReport> describeNodes(mlir::ModuleOp imported, const llvm::StringMap<std::string> &operators);

/// Returns the rows of the nodes that a launch computes, or whose gradient it computes, as JSON.
llvm::json::Array nodeRows(const CompileReport &report);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBENODES_H
