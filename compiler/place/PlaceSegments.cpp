// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. a state, and its changes by a step, according to the rule of the runtime; 2. one placement; 3. all
// placements, step by step.

#include "compiler/place/PlaceSegments.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <cstdint>

using namespace llvm;

namespace nacre::place {

namespace {

//===----------------------------------------------------------------------===//
// 1. States
//===----------------------------------------------------------------------===//

/// Marks of a storage: how engines accessed it in the current phase, and which memories lack its current value.
enum Mark : uint8_t {
  CpuReads = 1,
  CpuWrites = 2,
  GpuReads = 4,
  GpuWrites = 8,
  InThisPhase = CpuReads | CpuWrites | GpuReads | GpuWrites,
  NotOnCpu = 16,
  NotOnGpu = 32
};

/// State between two steps. Only storages that later steps touch have marks, so that states with the same future are
/// equal.
struct State {
  SmallVector<std::pair<unsigned, uint8_t>, 8> marks; // Sorted by storage, without zero marks.
  bool gpuWorks = false;                              // True if the GPU has work in this phase.
  unsigned meetings = 0;
  double cpu = 0, gpu = 0; // Time at which each engine would finish this phase.
  unsigned history = 0;

  double seconds() const { return std::max(cpu, gpu); }

  uint8_t marksOf(unsigned storage) const {
    auto found = lower_bound(marks, std::make_pair(storage, uint8_t(0)));
    return found != marks.end() && found->first == storage ? found->second : 0;
  }

  void setMarks(unsigned storage, uint8_t bits) {
    auto found = lower_bound(marks, std::make_pair(storage, uint8_t(0)));
    if (found != marks.end() && found->first == storage)
      found->second = bits;
    else if (bits)
      marks.insert(found, {storage, bits});
  }
};

class Walker {
public:
  explicit Walker(const PlacementProblem &problem) : problem(problem), lastUse(problem.storageBytes.size(), 0) {
    for (auto [index, step] : llvm::enumerate(problem.steps))
      for (const StorageAccess &access : step.accesses)
        lastUse[access.storage] = index;
  }

  State begin() const {
    State state;
    if (copies())
      for (unsigned storage = 0; storage < problem.isInput.size(); ++storage)
        if (problem.isInput[storage])
          state.setMarks(storage, NotOnGpu);
    return state;
  }

  void advance(State &state, unsigned step, const StepOption &option) const {
    const ArrayRef<StorageAccess> accesses = problem.steps[step].accesses;
    const bool onGpu = option.gpuShare > 0, onCpu = option.gpuShare < 1;
    if (any_of(accesses, [&](const StorageAccess &access) {
          const uint8_t marks = state.marksOf(access.storage);
          return (onGpu && conflicts(access, marks, CpuReads, CpuWrites)) ||
                 (onCpu && conflicts(access, marks, GpuReads, GpuWrites));
        }))
      close(state);
    if (onGpu && !state.gpuWorks) {
      state.gpuWorks = true;
      ++state.meetings;
      state.gpu += problem.meetingSeconds;
    }
    state.cpu += option.cpuSeconds;
    state.gpu += option.gpuSeconds;
    for (const StorageAccess &access : accesses) {
      uint8_t marks = state.marksOf(access.storage);
      if (onCpu)
        marks |= (access.reads ? CpuReads : 0) | (access.writes ? CpuWrites : 0);
      if (onGpu)
        marks |= (access.reads ? GpuReads : 0) | (access.writes ? GpuWrites : 0);
      if (copies())
        marks = copy(state, access, option.gpuShare, marks);
      state.setMarks(access.storage, marks);
    }
    forget(state, [&](unsigned storage, uint8_t marks) -> uint8_t {
      if (lastUse[storage] > step)
        return marks;
      return copies() && problem.isOutput[storage] ? marks & NotOnCpu : 0;
    });
  }

  void end(State &state) const {
    close(state);
    for (auto [storage, marks] : state.marks)
      if (problem.isOutput[storage] && (marks & NotOnCpu))
        state.cpu += copySeconds(storage);
    state.gpu = state.cpu;
  }

private:
  bool copies() const { return problem.copyBytesPerSecond > 0; }
  double copySeconds(unsigned storage) const { return problem.storageBytes[storage] / problem.copyBytesPerSecond; }

  /// True if an access of one engine must wait for the other engine. `reads` and `writes` are the marks of the other
  /// engine.
  static bool conflicts(const StorageAccess &access, uint8_t marks, uint8_t reads, uint8_t writes) {
    return (marks & writes) || (access.writes && (marks & reads));
  }

  template <typename Keep> static void forget(State &state, Keep keep) {
    for (auto &[storage, marks] : state.marks)
      marks = keep(storage, marks);
    erase_if(state.marks, [](const auto &mark) { return mark.second == 0; });
  }

  void close(State &state) const {
    state.cpu = state.gpu = state.seconds();
    state.gpuWorks = false;
    forget(state, [](unsigned, uint8_t marks) -> uint8_t { return marks & ~InThisPhase; });
  }

  /// Copies a storage to the engines that touch it, and returns its new marks. Storages to be written are copied, too,
  /// because a step may write only a part. If a step is cut, the GPU's part is copied to the CPU immediately.
  uint8_t copy(State &state, const StorageAccess &access, double gpuShare, uint8_t marks) const {
    const double seconds = copySeconds(access.storage);
    if (gpuShare > 0 && (marks & NotOnGpu)) {
      state.gpu += seconds;
      marks &= ~NotOnGpu;
    }
    if (gpuShare < 1 && (marks & NotOnCpu)) {
      // The GPU batch that wrote the storage also copies it. All later work has waited for that batch.
      state.cpu += seconds;
      state.gpu += seconds;
      marks &= ~NotOnCpu;
    }
    if (access.writes && gpuShare > 0 && gpuShare < 1)
      state.gpu += seconds * gpuShare;
    if (access.writes)
      marks |= gpuShare < 1 ? NotOnGpu : NotOnCpu;
    return marks;
  }

  const PlacementProblem &problem;
  std::vector<unsigned> lastUse;
};

} // namespace

//===----------------------------------------------------------------------===//
// 2. One placement
//===----------------------------------------------------------------------===//

StepPlacement evaluate(const PlacementProblem &problem, ArrayRef<unsigned> options) {
  assert(options.size() == problem.steps.size() && "an option for each step");
  Walker walker(problem);
  State state = walker.begin();
  for (auto [index, step] : llvm::enumerate(problem.steps))
    walker.advance(state, index, step.options[options[index]]);
  walker.end(state);
  return {SmallVector<unsigned>(options), state.seconds(), state.meetings};
}

//===----------------------------------------------------------------------===//
// 3. The search
//===----------------------------------------------------------------------===//

namespace {

/// Option of a step, and the decision for the step before it.
struct Decision {
  unsigned before, option;
};

bool fareAlike(const State &a, const State &b) { return a.gpuWorks == b.gpuWorks && a.marks == b.marks; }

/// Removes each state for which another state with the same future is better on both clocks. `states` are sorted by the
/// CPU's clock. A state is also removed if its GPU clock is better by less than `slack`, relatively.
std::vector<State> dropBeaten(const std::vector<State> &states, double slack) {
  std::vector<State> kept;
  for (const State &state : states)
    if (kept.empty() || !fareAlike(kept.back(), state) || state.gpu < kept.back().gpu * (1 - slack))
      kept.push_back(state);
  return kept;
}

/// Reduces the states to `limit`. Independent steps have as many good states as there are ways to distribute them.
/// First removes states that are only slightly better than another one, then the states with the latest clocks.
void prune(std::vector<State> &states, unsigned limit) {
  llvm::stable_sort(states, [](const State &a, const State &b) {
    if (a.gpuWorks != b.gpuWorks)
      return a.gpuWorks < b.gpuWorks;
    if (a.marks != b.marks)
      return a.marks < b.marks;
    return std::make_pair(a.cpu, a.gpu) < std::make_pair(b.cpu, b.gpu);
  });
  for (double slack : {0.0, 0.001, 0.003, 0.01, 0.03}) {
    states = dropBeaten(states, slack);
    if (states.size() <= limit)
      return;
  }
  llvm::stable_sort(states, [](const State &a, const State &b) { return a.seconds() < b.seconds(); });
  states.resize(limit);
}

} // namespace

StepPlacement placeSteps(const PlacementProblem &problem, unsigned maxStates) {
  Walker walker(problem);
  std::vector<Decision> decisions(1); // The first decision means that no step precedes.
  std::vector<State> states{walker.begin()};
  for (auto [index, step] : llvm::enumerate(problem.steps)) {
    std::vector<State> next;
    next.reserve(states.size() * step.options.size());
    for (const State &state : states)
      for (auto [number, option] : llvm::enumerate(step.options)) {
        next.push_back(state);
        walker.advance(next.back(), index, option);
        next.back().history = decisions.size();
        decisions.push_back({state.history, unsigned(number)});
      }
    prune(next, maxStates);
    states = std::move(next);
  }
  for (State &state : states)
    walker.end(state);
  const State &best =
      *std::min_element(states.begin(), states.end(), [](const State &a, const State &b) { return a.cpu < b.cpu; });
  SmallVector<unsigned> options;
  for (unsigned at = best.history; at; at = decisions[at].before)
    options.push_back(decisions[at].option);
  std::reverse(options.begin(), options.end());
  StepPlacement found = evaluate(problem, options);
  // The state that uses only the CPU may have been removed. If no placement is faster, the GPU should stay idle.
  StepPlacement cpu = evaluate(problem, SmallVector<unsigned>(problem.steps.size(), 0));
  return found.seconds < cpu.seconds ? found : cpu;
}

} // namespace nacre::place
