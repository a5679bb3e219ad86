// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which engine computes each step of an entry, or how both share it, so that the run is short.
// Why:   a kernel that is faster on the GPU is slower there if the engines must meet for it; only the whole run tells.
// How:   the runtime divides a run into phases, in each of which the engines work at the same time; a step begins a new
//        one where it touches what the other engine wrote in this one, or writes what it touched. `secondsOf` walks
//        that rule with two clocks. `placeSteps` is dynamic programming over the steps: a state is what the engines
//        have touched in the phase and is still to be touched, and of those with equal states the ones stay whose
//        clocks no other beats both of. No IR here.

#ifndef NACRE_COMPILER_PLACE_PLACESEGMENTS_H
#define NACRE_COMPILER_PLACE_PLACESEGMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace nacre::place {

/// A storage that a step touches. Weights are never written and are left out.
struct StorageAccess {
  unsigned storage = 0;
  bool reads = false, writes = false;
};

/// A way to compute a step.
struct StepOption {
  double gpuShare = 0; ///< 0: the CPU alone. 1: the GPU alone.
  double cpuSeconds = 0;
  double gpuSeconds = 0;
};

/// A launch, or a loop with all its iterations.
struct Step {
  llvm::SmallVector<StorageAccess> accesses; ///< Each storage at most once.
  llvm::SmallVector<StepOption> options;     ///< The first is the CPU alone.
};

struct PlacementProblem {
  std::vector<Step> steps;
  std::vector<double> storageBytes;
  std::vector<bool> isInput;  ///< Per storage: it is with the CPU when a run begins.
  std::vector<bool> isOutput; ///< It must be with the CPU when a run ends.
  double meetingSeconds = 0;  ///< Of each phase in which the GPU has something to do.
  /// Of copies between the engines' memories; 0: they have one.
  double copyBytesPerSecond = 0;
};

/// An option for each step.
struct StepPlacement {
  llvm::SmallVector<unsigned> options;
  double seconds = 0;
  unsigned meetings = 0;
};

/// What a run takes with these options.
StepPlacement evaluate(const PlacementProblem &problem, llvm::ArrayRef<unsigned> options);

/// The best placement found: never longer than the CPU alone. Exact while no more than `maxStates` states are worth
/// keeping after any step; beyond, states that are almost equal stand for one another, and then the earliest are kept.
/// Time grows linearly with the steps.
StepPlacement placeSteps(const PlacementProblem &problem, unsigned maxStates = 512);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_PLACESEGMENTS_H
