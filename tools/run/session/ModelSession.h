// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session with its inputs and outputs by name, which every mode of nacre-run uses. It wraps nacre/runtime.h; failures
// contain the runtime's reason.

#ifndef NACRE_TOOLS_RUN_SESSION_MODELSESSION_H
#define NACRE_TOOLS_RUN_SESSION_MODELSESSION_H

#include "tools/run/session/WeightsFile.h"

#include <atomic>

namespace nacre::run {

/// Returns a failure for a status other than NACRE_OK, with the runtime's reason.
Failure statusFailure(const char *reason, nacre_status status);

/// Quantization of a tensor's integers: scale * (stored - zeroPoint).
struct Quantization {
  float scale = 1;
  int32_t zeroPoint = 0;
  std::vector<nacre_channel_info> channels; // one for each index of the axis; empty: one scale for all elements
  uint32_t channelAxis = 0;

  bool isIdentity() const { return channels.empty() && scale == 1 && zeroPoint == 0; }
};

/// An input or output, in place.
struct Port {
  std::string name;
  TensorView tensor;
  void *data = nullptr;
  uint32_t openAxes = 0;   // for outputs: bit i is set if a run decides the size of axis i
  std::vector<char> there; // actual elements of such an output after a run, dense; for states, a copy
  Quantization quantization = {};
};

/// Objects that sessions of one model can share; they must outlive the sessions.
struct Shared {
  nacre_state *state = nullptr;
  nacre_executor *executor = nullptr;
};

/// Numbers of training steps, if the model counts them.
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
  /// Ends the current run and refuses later ones; also for signal handlers. Returns false if no run is in progress. A
  /// run that is about to begin must then still be cancelled.
  bool cancel();
  /// Cuts the outputs to their actual sizes after a run that decides them.
  Outcome takeSizes();
  /// Copy `states` to the model's state, or the other way round.
  Outcome writeStates();
  Outcome readStates();
  /// Reads the numbers of steps from the state.
  Outcome countSteps(StepCounts &counts);
  /// Save and load tensors of these roles. Tensors of training that became infinite or NaN are not saved.
  Outcome saveState(const std::string &path, uint32_t roles);
  Outcome loadState(const std::string &path, uint32_t roles);
  /// Refuses a state from which training cannot recover: every gradient would be infinite or NaN.
  Outcome checkTrainable();
  Outcome launchTime(uint32_t index, nacre_launch_time &time);
  /// Returns the engines that compute the next runs.
  Outcome describe(nacre_session_info &info) const;

  const nacre_model *model = nullptr;
  nacre_model_info info{};
  uint32_t entry = 0;
  nacre_entry_info entryInfo{};
  nacre_memory_info memory{};
  std::vector<Port> inputs, outputs;
  std::vector<Port> states; // copies, whose memory is allocated when they are read or written

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

  WeightsFile weights; // the session reads it as long as it exists
  nacre_session *session = nullptr;
  bool needsGpu = false;
  std::atomic<bool> isCancelled{false};
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MODELSESSION_H
