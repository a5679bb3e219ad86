// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators that remain after the graph phase although an equivalent model would avoid their cost.

#ifndef NACRE_COMPILER_REPORT_DESCRIBEGRAPH_H
#define NACRE_COMPILER_REPORT_DESCRIBEGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace nacre {

/// Returns the nodes of the model that still multiply channels by constants.
std::vector<std::string> listLooseScales(mlir::ModuleOp graph);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBEGRAPH_H
