// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes that outputs reach, in an order in which they can be computed.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace nacre::importer::tensorflow_format {

/// Small numbers, each behind those it needs, for all that `roots` need; these may grow meanwhile. Nothing where there is a
/// cycle, of which `onCycle` is one.
std::optional<std::vector<unsigned>> orderByNeed(const std::vector<unsigned> &roots,
                                                 llvm::function_ref<void(unsigned, std::vector<unsigned> &)> getNeeds,
                                                 unsigned &onCycle);

/// What of the control operands of a node says when it is computed: a pivot, which is a Switch or the Identity of one; and
/// of a node without other operands all of them, since nothing else ties it to a branch or a body.
llvm::SmallVector<unsigned> getTies(llvm::ArrayRef<ControlNode> nodes, unsigned node);

/// The nodes that `outputs` reach, each behind what it reads; what an iteration hands to the next does not count.
std::optional<ControlProblem> orderNodes(llvm::ArrayRef<ControlNode> nodes, llvm::ArrayRef<Port> outputs,
                                         std::vector<unsigned> &order);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_ORDER_H
