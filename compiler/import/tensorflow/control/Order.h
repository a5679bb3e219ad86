// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the nodes that outputs reach, so that each can be computed after its operands.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace nacre::importer::tensorflow_format {

/// Returns `roots` and all numbers that they need, each after its needs. `roots` may grow during the walk. Returns
/// nullopt if there is a cycle; `onCycle` is then on it.
std::optional<std::vector<unsigned>> orderByNeed(const std::vector<unsigned> &roots,
                                                 llvm::function_ref<void(unsigned, std::vector<unsigned> &)> getNeeds,
                                                 unsigned &onCycle);

/// Returns the control operands that decide when a node is computed. These are pivots: a Switch or an Identity of one.
/// For a node without other operands they are all control operands, because nothing else ties it to a branch or a body.
llvm::SmallVector<unsigned> getTies(llvm::ArrayRef<ControlNode> nodes, unsigned node);

/// Orders the nodes that `outputs` reach, each after its operands, except values from the previous iteration.
std::optional<ControlProblem> orderNodes(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                         std::vector<unsigned> &order);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H
