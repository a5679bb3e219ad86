// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the graph phase has left as it was, although models often have it in a form that costs less.

#ifndef NACRE_COMPILER_DESCRIBEGRAPH_H
#define NACRE_COMPILER_DESCRIBEGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace nacre {

/// The model's nodes of each multiplication of channels by constants.
std::vector<std::string> listLooseScales(mlir::ModuleOp graph);

} // namespace nacre

#endif // NACRE_COMPILER_DESCRIBEGRAPH_H
