// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the lifetimes of an entry's storages. The planner packs the storages, and the verifier checks them.

#ifndef NACRE_COMPILER_SCHEDULE_LIFETIMES_H
#define NACRE_COMPILER_SCHEDULE_LIFETIMES_H

#include "compiler/schedule/ArenaPlanner.h"
#include "compiler/schedule/StorageLives.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::schedule {

/// Temporaries of an entry that at least one step touches, in order, and their sizes and lifetimes.
struct TemporaryLifetimes {
  llvm::SmallVector<plan::StorageOp> storages;
  llvm::SmallVector<BufferDemand> demands;
  /// Temporaries that no step touches.
  llvm::SmallVector<plan::StorageOp> untouched;
};

/// Steps and storages of an entry. The id of a step is an index of `operations`.
struct EntryProgram {
  llvm::SmallVector<plan::StorageOp> storages;
  llvm::SmallVector<mlir::Operation *> operations;
  std::vector<Step> steps;
};

/// Returns the steps of `entry`.
EntryProgram readProgram(plan::EntryOp entry);

/// Returns the lifetimes of the temporaries of `entry`.
TemporaryLifetimes readLifetimes(plan::EntryOp entry);

/// Returns the size of an entry's inputs and outputs in bytes. A session allocates them in addition to the arena.
int64_t portBytes(plan::EntryOp entry);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LIFETIMES_H
