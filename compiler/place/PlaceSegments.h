// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the engine (or the shares of both) for each step of an entry, to minimize the time of a run.
// Why: a meeting may cost more than a kernel saves on the GPU, so only the time of the whole run counts.
// How: the runtime divides a run into phases, in which the engines work at the same time. A step begins a new phase if
//      it touches data that the other engine wrote in this phase, or writes data that the other engine touched.
//      `evaluate` follows this rule with one clock per engine. `placeSteps` is dynamic programming over the steps. A
//      state consists of the storages that the engines have touched in the phase and that later steps touch. Among
//      equal states, a state is removed if another one is better on both clocks. Uses no IR.

#ifndef NACRE_COMPILER_PLACE_PLACESEGMENTS_H
#define NACRE_COMPILER_PLACE_PLACESEGMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace nacre::place {

/// Storage that a step touches. Weights are omitted, because nothing writes them.
struct StorageAccess {
  unsigned storage = 0;
  bool reads = false, writes = false;
};

/// One way to compute a step.
struct StepOption {
  double gpuShare = 0; ///< Share of the GPU: 0 to use only the CPU, 1 to use only the GPU.
  double cpuSeconds = 0;
  double gpuSeconds = 0;
};

/// Launch, or loop with all its iterations.
struct Step {
  llvm::SmallVector<StorageAccess> accesses; ///< Each storage at most once.
  llvm::SmallVector<StepOption> options;     ///< Options of the step. The first one uses only the CPU.
};

struct PlacementProblem {
  std::vector<Step> steps;
  std::vector<double> storageBytes;
  std::vector<bool> isInput;  ///< True for a storage that is in the CPU's memory when a run begins.
  std::vector<bool> isOutput; ///< True for a storage that must be in the CPU's memory when a run ends.
  double meetingSeconds = 0;  ///< Cost of each phase in which the GPU has work.
  /// Bytes per second of copies between the memories of the engines; 0 if they share one memory.
  double copyBytesPerSecond = 0;
};

/// Chosen option of each step, the time of the run, and its meetings.
struct StepPlacement {
  llvm::SmallVector<unsigned> options;
  double seconds = 0;
  unsigned meetings = 0;
};

/// Returns the placement with the option `options[i]` for each step i.
StepPlacement evaluate(const PlacementProblem &problem, llvm::ArrayRef<unsigned> options);

/// Returns the best placement found, which is never slower than using only the CPU. It is optimal if at most
/// `maxStates` states must be kept after each step. With more states, nearly equal ones are merged, and then the
/// earliest ones are kept. The time is linear in the number of steps.
StepPlacement placeSteps(const PlacementProblem &problem, unsigned maxStates = 512);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_PLACESEGMENTS_H
