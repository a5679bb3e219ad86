// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the nodes that outputs depend on, so that each node comes after its operands.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace nacre::importer::tensorflow_format {

/// Returns `roots` and everything that they need, directly or indirectly, each after its needs. `getNeeds` adds the
/// needs of an element to a list. `roots` may grow during the walk. If there is a cycle, returns nullopt and sets
/// `onCycle` to an element of it.
std::optional<std::vector<unsigned>> orderByNeed(const std::vector<unsigned> &roots,
                                                 llvm::function_ref<void(unsigned, std::vector<unsigned> &)> getNeeds,
                                                 unsigned &onCycle);

/// Returns the control operands that decide whether a node is computed. These are pivots: a Switch, or an Identity of a
/// Switch. For a node without other operands, they are all control operands, because nothing else binds the node to a
/// branch or a loop body.
llvm::SmallVector<unsigned> getTies(llvm::ArrayRef<ControlNode> nodes, unsigned node);

/// Orders the nodes that `outputs` depend on. Each node comes after its operands, except for values from the previous
/// iteration.
std::optional<ControlProblem> orderNodes(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                         std::vector<unsigned> &order);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H
