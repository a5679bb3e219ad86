// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds how many bytes of a program are alive at each step, and which steps touch each storage.
// Why: values to recompute are chosen among the values that are alive but untouched at the step with the most live
//      bytes.
// How: it numbers steps and lives in the same way as StorageLives.h. Uses no IR.

#ifndef NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H
#define NACRE_COMPILER_SCHEDULE_PROGRAMPROFILE_H

#include "compiler/schedule/StorageLives.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdint>

namespace nacre::schedule {

/// Estimated costs of a step.
struct StepPrice {
  double nanoseconds = 0; ///< Time of a launch for one execution.
  double iterations = 1;  ///< Number of iterations of a loop.
  /// True if a condition at run time decides whether the steps inside run. Nothing is moved there.
  bool isDecided = false;
};

/// Program with the costs of its steps. The id of a step is an index of `prices`.
struct PricedProgram {
  std::vector<Step> steps;
  llvm::SmallVector<int64_t> bytes; ///< Size of each storage in bytes; 0 if it is not a temporary.
  std::vector<StepPrice> prices;
};

/// Positions that readLives() gives to a step.
struct StepNumbers {
  /// First and last position. The last position of a loop is its jump back. The last position of a conditional is the
  /// last position of its last inner step.
  unsigned first = 0, last = 0;
};

struct ProgramProfile {
  explicit ProgramProfile(const PricedProgram &program);

  int64_t peakBytes() const { return alive[peak]; }
  /// True if the peak is lower than in `other`, or equal but reached at fewer steps.
  bool isBelow(const ProgramProfile &other) const;

  std::vector<StepNumbers> numbers; ///< Positions of each step, by id.
  std::vector<Life> lives;          ///< Life of each storage.
  std::vector<int64_t> alive;       ///< Live bytes at each position.
  unsigned peak = 0;                ///< First position with the most live bytes.
  size_t crowded = 0;               ///< Number of positions with the most live bytes.
};

/// Accesses of one step of a list, and of the steps inside of it, to a storage.
struct StorageUse {
  unsigned index;
  bool reads = false, writes = false;
};

/// Steps of one list, with the uses of each storage.
struct StepList {
  /// `executions` is the number of times that the list runs in one run of the program.
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
