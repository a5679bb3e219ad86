// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the engine, or the shares of both, for each step of an entry, to minimize the time of a run.
// Why: a meeting may cost more than a kernel gains on the GPU. Only the whole run decides.
// How: the runtime divides a run into phases, in which the engines work at the same time. A step begins a new phase if
//      it touches data that the other engine wrote in this phase, or writes data that the other engine touched.
//      `evaluate` follows this rule with one clock per engine. `placeSteps` is dynamic programming over the steps. A
//      state has the storages that the engines have touched in the phase and that later steps touch. Among equal
//      states, those stay that no other state beats on both clocks. Uses no IR.

#ifndef NACRE_COMPILER_PLACE_PLACESEGMENTS_H
#define NACRE_COMPILER_PLACE_PLACESEGMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace nacre::place {

/// Storage that a step touches. Weights are never written and are left out.
struct StorageAccess {
  unsigned storage = 0;
  bool reads = false, writes = false;
};

/// One way to compute a step.
struct StepOption {
  double gpuShare = 0; ///< GPU's share: 0 for the CPU only, 1 for the GPU only.
  double cpuSeconds = 0;
  double gpuSeconds = 0;
};

/// Launch, or loop with all its iterations.
struct Step {
  llvm::SmallVector<StorageAccess> accesses; ///< Each storage at most once.
  llvm::SmallVector<StepOption> options;     ///< Choices; the first is the CPU only.
};

struct PlacementProblem {
  std::vector<Step> steps;
  std::vector<double> storageBytes;
  std::vector<bool> isInput;  ///< True for a storage that is in the CPU's memory when a run begins.
  std::vector<bool> isOutput; ///< True for a storage that must be in the CPU's memory when a run ends.
  double meetingSeconds = 0;  ///< Cost of each phase in which the GPU has work.
  /// Rate of copies between the engines' memories; 0 if they share one.
  double copyBytesPerSecond = 0;
};

/// Chosen option of each step, with the time and the meetings of the run.
struct StepPlacement {
  llvm::SmallVector<unsigned> options;
  double seconds = 0;
  unsigned meetings = 0;
};

/// Returns the placement with these options.
StepPlacement evaluate(const PlacementProblem &problem, llvm::ArrayRef<unsigned> options);

/// Returns the best placement found, which is never slower than the CPU only. It is optimal while at most `maxStates`
/// states are worth keeping after any step. With more states, nearly equal ones are merged, and then the earliest are
/// kept. Takes time linear in the number of steps.
StepPlacement placeSteps(const PlacementProblem &problem, unsigned maxStates = 512);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_PLACESEGMENTS_H
