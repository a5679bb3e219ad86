// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds how many bytes of a program are alive at each step, and which steps touch each storage.
// Why: values to recompute are chosen among those alive but untouched at the step with the most bytes.
// How: numbers steps and lives in the same way as StorageLives.h. Uses no IR.

#ifndef NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H
#define NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H

#include "compiler/schedule/StorageLives.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdint>

namespace nacre::schedule {

/// Estimated costs of a step.
struct StepPrice {
  double nanoseconds = 0; ///< Time of a launch for one execution.
  double iterations = 1;  ///< Iterations of a loop.
  /// True if a condition at run time decides about the steps inside. Nothing is moved there.
  bool isDecided = false;
};

/// Program with the costs of its steps. Ids of steps are indices of `prices`.
struct PricedProgram {
  std::vector<Step> steps;
  llvm::SmallVector<int64_t> bytes; ///< Bytes of each storage; 0 if it is not a temporary.
  std::vector<StepPrice> prices;
};

/// Numbers that readLives gives a step.
struct StepNumbers {
  /// First and last number. A loop's last number is its way back; a conditional's is that of its last inner step.
  unsigned first = 0, last = 0;
};

struct ProgramProfile {
  explicit ProgramProfile(const PricedProgram &program);

  int64_t peakBytes() const { return alive[peak]; }
  /// True if the peak is lower, or equal but reached at fewer steps.
  bool isBelow(const ProgramProfile &other) const;

  std::vector<StepNumbers> numbers; ///< Numbers by id of a step.
  std::vector<Life> lives;          ///< Lives by storage.
  std::vector<int64_t> alive;       ///< Bytes alive, by number.
  unsigned peak = 0;                ///< First number at which most bytes are alive.
  size_t crowded = 0;               ///< Count of the numbers at which most bytes are alive.
};

/// Accesses of one step of a list to a storage, including the steps inside.
struct StorageUse {
  unsigned index;
  bool reads = false, writes = false;
};

/// Steps of one list, with the uses of each storage.
struct StepList {
  /// `executions`: how often the list runs in one run of the program.
  StepList(llvm::ArrayRef<Step> steps, size_t storages, double executions);

  bool isWrittenBetween(unsigned storage, unsigned from, unsigned to) const;

  llvm::ArrayRef<Step> steps;
  std::vector<llvm::SmallVector<StorageUse, 4>> uses; ///< Uses of each storage, in order.
  double executions;

private:
  void note(const Step &step, unsigned index);
};

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H
