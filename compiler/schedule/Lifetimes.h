// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifetimes of an entry's storages. The planner packs them and the verifier checks them.

#ifndef NACRE_COMPILER_SCHEDULE_LIFETIMES_H
#define NACRE_COMPILER_SCHEDULE_LIFETIMES_H

#include "compiler/schedule/ArenaPlanner.h"
#include "compiler/schedule/StorageLives.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::schedule {

/// Temporaries of an entry that some step touches, in order, and their demands.
struct TemporaryLifetimes {
  llvm::SmallVector<plan::StorageOp> storages;
  llvm::SmallVector<BufferDemand> demands;
  /// Temporaries that no step touches.
  llvm::SmallVector<plan::StorageOp> untouched;
};

/// Steps of an entry, whose ids are indices of `operations`, and all its storages.
struct EntryProgram {
  llvm::SmallVector<plan::StorageOp> storages;
  llvm::SmallVector<mlir::Operation *> operations;
  std::vector<Step> steps;
};

/// Returns the steps of `entry`.
EntryProgram readProgram(plan::EntryOp entry);

/// Returns the lifetimes of the temporaries of `entry`.
TemporaryLifetimes readLifetimes(plan::EntryOp entry);

/// Returns the bytes of an entry's inputs and outputs, which a session holds in addition to the arena.
int64_t portBytes(plan::EntryOp entry);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LIFETIMES_H
