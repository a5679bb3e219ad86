// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session with its inputs and outputs by name, which all modes of nacre-run use. It wraps nacre/runtime.h. Failures
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
  std::vector<nacre_channel_info> channels; // scales for each index of the axis; empty: one scale for all elements
  uint32_t channelAxis = 0;

  bool isIdentity() const { return channels.empty() && scale == 1 && zeroPoint == 0; }
};

/// An input or output. Its data stays in the session's memory.
struct Port {
  std::string name;
  TensorView tensor;
  void *data = nullptr;
  uint32_t openAxes = 0;   // for outputs: bit i is set if the size of axis i depends on the run
  std::vector<char> there; // dense copy of the valid elements of an output with such axes, after a run; for states, a
                           // copy of the state
  Quantization quantization = {};
};

/// Objects that sessions of one model can share; they must outlive the sessions.
struct Shared {
  nacre_state *state = nullptr;
  nacre_executor *executor = nullptr;
};

/// Numbers of training steps, if the model counts steps.
struct StepCounts {
  std::optional<uint64_t> made;
  std::optional<uint64_t> skipped; // steps that were skipped because gradients overflowed
};

class ModelSession {
public:
  ModelSession() = default;
  ModelSession(const ModelSession &) = delete;
  ModelSession &operator=(const ModelSession &) = delete;
  ~ModelSession();

  Outcome create(const nacre_model *model, const Options &options, const Shared &shared = {});
  Outcome run();
  /// Ends the current run and refuses later runs. Signal handlers may call it. Returns false if no run is in progress.
  /// A run may then be about to begin, so the caller must call it again.
  bool cancel();
  /// Sets the outputs to their actual sizes after a run, if these depend on the run.
  Outcome takeSizes();
  /// Copy `states` to the model's state, or the model's state to `states`.
  Outcome writeStates();
  Outcome readStates();
  /// Reads the step counts from the state.
  Outcome countSteps(StepCounts &counts);
  /// Save and load the state's tensors with one of `roles`. If training made tensors infinite or NaN, they are not
  /// saved.
  Outcome saveState(const std::string &path, uint32_t roles);
  Outcome loadState(const std::string &path, uint32_t roles);
  /// Fails if training cannot continue from the state, because all gradients would be infinite or NaN.
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
  std::vector<Port> states; // copies of the state's tensors, whose memory is allocated when they are first read or
                            // written

private:
  std::optional<int64_t> readCounter(const char *name);
  Outcome findEntry(const Options &options);
  Outcome collectPorts();
  Outcome collectStates();
  template <typename Copy> Outcome copyStates(Copy copy);
  template <typename Check> Outcome checkElements(uint32_t roles, Check check);
  Outcome checkFinite(uint32_t roles, const char *purpose, const Failure &advice);
  template <typename Call> Outcome withFile(Call call, const std::string &path, uint32_t roles);
  Outcome refused(nacre_status status) const;

  WeightsFile weights; // must outlive the session, which reads it
  nacre_session *session = nullptr;
  bool needsGpu = false;
  std::atomic<bool> isCancelled{false};
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_MODELSESSION_H
