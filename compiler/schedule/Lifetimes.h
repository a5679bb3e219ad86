// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When each storage of an entry is alive: what the planner packs and the verifier checks.

#ifndef NACRE_COMPILER_SCHEDULE_LIFETIMES_H
#define NACRE_COMPILER_SCHEDULE_LIFETIMES_H

#include "compiler/schedule/ArenaPlanner.h"
#include "compiler/schedule/StorageLives.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::schedule {

/// The temporaries of an entry that some step touches, in order, and their demands.
struct TemporaryLifetimes {
  llvm::SmallVector<plan::StorageOp> storages;
  llvm::SmallVector<BufferDemand> demands;
  /// Temporaries that no step touches.
  llvm::SmallVector<plan::StorageOp> untouched;
};

/// The steps of an entry, whose ids are the places of their operations here, and all its storages.
struct EntryProgram {
  llvm::SmallVector<plan::StorageOp> storages;
  llvm::SmallVector<mlir::Operation *> operations;
  std::vector<Step> steps;
};

/// Reads the steps off `entry`.
EntryProgram readProgram(plan::EntryOp entry);

/// Reads the lifetimes off `entry`.
TemporaryLifetimes readLifetimes(plan::EntryOp entry);

/// Of an entry's inputs and outputs, which a session holds beside the arena.
int64_t portBytes(plan::EntryOp entry);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_LIFETIMES_H
