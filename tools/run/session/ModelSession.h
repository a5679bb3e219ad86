// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a session with its inputs and outputs by name.
// Why:   every mode of nacre-run starts here.
// How:   thin over nacre/runtime.h; failures carry the runtime's own reason.

#ifndef NACRE_TOOLS_RUN_SESSION_MODELSESSION_H
#define NACRE_TOOLS_RUN_SESSION_MODELSESSION_H

#include "tools/run/session/WeightsFile.h"

#include <atomic>

namespace nacre::run {

/// A status other than NACRE_OK, and the reason that the runtime gave.
Failure statusFailure(const char *reason, nacre_status status);

/// What the integers of a tensor stand for: scale * (stored - zeroPoint).
struct Quantization {
  float scale = 1;
  int32_t zeroPoint = 0;
  std::vector<nacre_channel_info> channels; // of each index of the axis; empty: the numbers above are of all elements
  uint32_t channelAxis = 0;

  bool isIdentity() const { return channels.empty() && scale == 1 && zeroPoint == 0; }
};

/// An input or output, in place.
struct Port {
  std::string name;
  TensorView tensor;
  void *data = nullptr;
  uint32_t openAxes = 0;   // of an output: bit i where a run decides the size of axis i
  std::vector<char> there; // what there is of such an output after a run, dense; of state, a copy
  Quantization quantization = {};
};

/// What sessions of one model may have in common; it must outlive them.
struct Shared {
  nacre_state *state = nullptr;
  nacre_executor *executor = nullptr;
};

/// Numbers of training steps, where the model counts them.
struct StepCounts {
  std::optional<uint64_t> made;
  std::optional<uint64_t> skipped; // because gradients overflowed
};

class ModelSession {
public:
  ModelSession() = default;
  ModelSession(const ModelSession &) = delete;
  ModelSession &operator=(const ModelSession &) = delete;
  ~ModelSession();

  Outcome create(const nacre_model *model, const Options &options, const Shared &shared = {});
  Outcome run();
  /// Ends the run that is in progress, and refuses later ones; for signal handlers, too. False if no run is in progress: one
  /// that is about to begin still has to be cancelled.
  bool cancel();
  /// Lets the outputs be what they are after the run, where it decides their sizes.
  Outcome takeSizes();
  /// Makes the model's state what `states` holds, or the other way round.
  Outcome writeStates();
  Outcome readStates();
  /// Reads the numbers of steps that the state has seen.
  Outcome countSteps(StepCounts &counts);
  /// To and from files, of these roles. What training made infinite or no number is not saved.
  Outcome saveState(const std::string &path, uint32_t roles);
  Outcome loadState(const std::string &path, uint32_t roles);
  /// Refuses a state from which no step leads back: every gradient would be infinite or NaN.
  Outcome checkTrainable();
  Outcome launchTime(uint32_t index, nacre_launch_time &time);
  /// What computes the runs from now on.
  Outcome describe(nacre_session_info &info) const;

  const nacre_model *model = nullptr;
  nacre_model_info info{};
  uint32_t entry = 0;
  nacre_entry_info entryInfo{};
  nacre_memory_info memory{};
  std::vector<Port> inputs, outputs;
  std::vector<Port> states; // copies, whose memory is there once they are read or written

private:
  std::optional<int64_t> readCounter(const char *name);
  Outcome findEntry(const std::string &name);
  Outcome collectPorts();
  Outcome collectStates();
  template <typename Copy> Outcome copyStates(Copy copy);
  template <typename Check> Outcome checkElements(uint32_t roles, Check check);
  Outcome checkFinite(uint32_t roles, const char *purpose, const Failure &advice);
  template <typename Call> Outcome withFile(Call call, const std::string &path, uint32_t roles);
  Outcome refused(nacre_status status) const;

  WeightsFile weights; // which the session reads to its end
  nacre_session *session = nullptr;
  bool needsGpu = false;
  std::atomic<bool> isCancelled{false};
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MODELSESSION_H
