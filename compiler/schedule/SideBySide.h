// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  groups of steps that a GPU may compute at the same time, one after another in the order.
// Why:   between launches that touch the same memory a GPU waits until all is written, some microseconds, and a launch that is too small
//        for it leaves units idle. In a backward pass there is always something else to do: a layer's gradients need only what the
//        layer after it has given.
// How:   a group takes, of the next steps, each that conflicts neither with the group nor with a step that it would overtake. Only few
//        of them are looked at, so that values are not alive for much longer; and the ends of a step of training, as updates are. What
//        reads nothing that others make, as casts of weights, is in the group before the first that reads it: if all of these were in
//        the first group, everything would wait for the largest of them. Free of IR, for tests.

#ifndef NACRE_COMPILER_SCHEDULE_SIDEBYSIDE_H
#define NACRE_COMPILER_SCHEDULE_SIDEBYSIDE_H

#include "compiler/schedule/LaunchOrder.h"
#include "compiler/schedule/StorageLives.h"

namespace nacre::schedule {

/// The bytes of storages that launches read and write: launches that write different parts of a storage do not wait for each other.
std::vector<TouchingStep> touchedPieces(llvm::ArrayRef<Step> launches);

/// The numbers of `steps` in an order of fewer groups.
std::vector<unsigned> orderSideBySide(llvm::ArrayRef<TouchingStep> steps);

/// For each step the number of its group: a group ends where a step touches what one of the group writes, or writes what it reads.
std::vector<unsigned> groupsOf(llvm::ArrayRef<TouchingStep> steps);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_SIDEBYSIDE_H
