// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how much a program has alive at each step, and who touches what.
// Why:   what runs again is chosen where most is alive, among what nobody touches there.
// How:   numbers of steps and lives as StorageLives.h has them. Free of IR.

#ifndef NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H
#define NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H

#include "compiler/schedule/StorageLives.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdint>

namespace nacre::schedule {

/// What a step takes.
struct StepPrice {
  double nanoseconds = 0; ///< Of a launch, once.
  double iterations = 1;  ///< Of a loop.
  bool isDecided = false; ///< A run decides about what is inside: nothing is moved there.
};

/// A program and what it takes. Ids of steps are places in `prices`.
struct PricedProgram {
  std::vector<Step> steps;
  llvm::SmallVector<int64_t> bytes; ///< Of each storage; 0 of those that are no temporaries.
  std::vector<StepPrice> prices;
};

/// Numbers of a step as readLives gives them.
struct StepNumbers {
  unsigned first = 0, last = 0; ///< Of a loop the way back, of a conditional what is inside.
};

struct ProgramProfile {
  explicit ProgramProfile(const PricedProgram &program);

  int64_t peakBytes() const { return alive[peak]; }
  /// Whether less is alive at once, or as much at fewer steps.
  bool isBelow(const ProgramProfile &other) const;

  std::vector<StepNumbers> numbers; ///< By id of a step.
  std::vector<Life> lives;          ///< By storage.
  std::vector<int64_t> alive;       ///< Bytes, by number.
  unsigned peak = 0;                ///< The first number where most is alive,
  size_t crowded = 0;               ///< and how many there are.
};

/// How a step of a list touches a storage, with all that is inside.
struct StorageUse {
  unsigned index;
  bool reads = false, writes = false;
};

/// The steps of one list and who of them touches what.
struct StepList {
  /// `executions` of the list in a run.
  StepList(llvm::ArrayRef<Step> steps, size_t storages, double executions);

  bool isWrittenBetween(unsigned storage, unsigned from, unsigned to) const;

  llvm::ArrayRef<Step> steps;
  std::vector<llvm::SmallVector<StorageUse, 4>> uses; ///< Per storage, in order.
  double executions;

private:
  void note(const Step &step, unsigned index);
};

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H
