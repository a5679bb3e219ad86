// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators are computed at compile time, for the pass that folds them and for the pass that verifies the
// result.

#ifndef NACRE_COMPILER_GRAPH_CONSTANTFOLDING_H
#define NACRE_COMPILER_GRAPH_CONSTANTFOLDING_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::graph {

/// Returns the operands of `op` if they are constants and `op` should be computed now. Otherwise, returns `nullopt`.
std::optional<llvm::SmallVector<mlir::ElementsAttr>> findFoldableOperands(mlir::Operation *op,
                                                                          int64_t maxConstantBytes);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONSTANTFOLDING_H
