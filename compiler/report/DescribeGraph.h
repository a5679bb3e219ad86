// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators after the graph phase that cost more than common alternatives.

#ifndef NACRE_COMPILER_REPORT_DESCRIBEGRAPH_H
#define NACRE_COMPILER_REPORT_DESCRIBEGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace nacre {

/// Returns the model's nodes of each multiplication of channels by constants.
std::vector<std::string> listLooseScales(mlir::ModuleOp graph);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBEGRAPH_H
