// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators are computed when the model is compiled: said once for the pass that does it and the one that checks
// it.

#ifndef NACRE_COMPILER_GRAPH_CONSTANTFOLDING_H
#define NACRE_COMPILER_GRAPH_CONSTANTFOLDING_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace nacre::graph {

/// The operands of `op` if they are constants and its value should be computed now.
std::optional<llvm::SmallVector<mlir::ElementsAttr>> findFoldableOperands(mlir::Operation *op,
                                                                          int64_t maxConstantBytes);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONSTANTFOLDING_H
