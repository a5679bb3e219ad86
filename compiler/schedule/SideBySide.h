// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups steps that a GPU may compute simultaneously, and orders steps by groups.
// Why: between launches that touch the same memory, a GPU waits some microseconds until all writes are done. Small
//      launches leave compute units idle. A backward pass always has independent work: the gradients of a layer only
//      need the results of the next layer.
// How: a group takes each of the next steps that conflicts neither with the group nor with a step that it would
//      overtake. Only a few steps are considered, so that values do not live much longer, and steps without readers,
//      such as updates. Steps that need no results of others, such as casts of weights, join the group before their
//      first reader. In the first group, all others would wait for the largest of them. Uses no IR, for tests.

#ifndef NACRE_COMPILER_SCHEDULE_SIDEBYSIDE_H
#define NACRE_COMPILER_SCHEDULE_SIDEBYSIDE_H

#include "compiler/schedule/LaunchOrder.h"
#include "compiler/schedule/StorageLives.h"

namespace nacre::schedule {

/// Returns the pieces of storages that each launch reads and writes. So launches that write different parts of a
/// storage do not conflict.
std::vector<TouchingStep> touchedPieces(llvm::ArrayRef<Step> launches);

/// Returns the indices of `steps` in an order that has fewer groups.
std::vector<unsigned> orderSideBySide(llvm::ArrayRef<TouchingStep> steps);

/// Returns the index of each step's group. A group ends before a step that reads or writes data that the group writes,
/// or that writes data that the group reads.
std::vector<unsigned> groupsOf(llvm::ArrayRef<TouchingStep> steps);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_SIDEBYSIDE_H
