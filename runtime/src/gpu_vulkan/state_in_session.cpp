// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks whether the newest data of a state is on the GPU or on the CPU, for models with variables.
// Why: another user of the state needs the GPU's changes, and an app must learn if they are lost with the GPU.
// How: the word `away` of the state says where the data is. Only the caller that has taken the state may change
//      that word.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"

namespace nacre::runtime {
using namespace gpu;

namespace {

/// True if the engine of the session's current entry has the newest data of the session's state.
bool has_newest_state(const Session &session) {
  const State &state = *session.state;
  return __atomic_load_n(&state.away, __ATOMIC_ACQUIRE) == State::WithGpu &&
         __atomic_load_n(&state.owner, __ATOMIC_RELAXED) == session.view.gpu;
}

/// Copies the state from the engine that has it to the CPU. If the changes of some runs are lost, returns false. Sets
/// `reason`, and adds the lost runs to `loss`.
bool fetch_state(State &state, Reason &reason, Reason &loss) {
  auto &engine = *static_cast<Engine *>(state.owner);
  const bool inherited = is_inherited(*engine.session);
  if (inherited)
    reason << "the GPU belongs to the parent process";
  const bool fetched = !inherited && download_state(engine, engine.current, reason);
  if (!fetched) {
    const uint64_t runs = commits_ahead(engine);
    loss << "; the state is that after run " << engine.known_commits << " on the GPU: what " << runs
         << (runs == 1 ? " later run" : " later runs") << " made of it is lost";
    ++state.writes; // other engines that hold a copy must upload the state again
  }
  engine.known_commits = engine.commits;
  __atomic_store_n(&state.away, State::Here, __ATOMIC_RELEASE);
  return fetched;
}

void give_up_state(Session &session, Reason &message) {
  Reason again; // not reported: `message` already contains why the GPU is lost
  if (has_newest_state(session))
    fetch_state(*session.state, again, message);
}

} // namespace

bool bring_state(State &state, Reason &reason) {
  if (state.away == State::WithGpu) {
    Reason loss;
    const bool fetched = fetch_state(state, reason, loss);
    reason << loss.c_str();
    return fetched;
  }
  reason << state.text;
  __atomic_store_n(&state.away, State::Here, __ATOMIC_RELEASE);
  return false;
}

nacre_status run_with_state(Session &session, RunLimits &limits) {
  Reason lost;
  if (!has_newest_state(session) && !bring_home(*session.state, lost))
    fail(session, lost, NACRE_FAILED); // the run continues with the latest data that the CPU has
  const nacre_status status = run_on_gpu(session, limits);
  if (status != NACRE_FAILED) {
    auto *engine = static_cast<Engine *>(session.view.gpu);
    __atomic_store_n(&session.state->owner, engine, __ATOMIC_RELAXED);
    __atomic_store_n(&session.state->away, commits_ahead(*engine) ? State::WithGpu : State::Here, __ATOMIC_RELEASE);
  }
  return status;
}

/// Like stop_gpu(), but first copies a shared state back to the CPU. If another caller has taken the state, waits until
/// that caller has returned the state or copied it back.
void stop_with_state(Session &session) {
  State &state = *session.state;
  while (&state != &session.own_state && has_newest_state(session)) {
    const bool taken = take(state);
    Reason reason, loss;
    if (taken && has_newest_state(session) && !fetch_state(state, reason, loss)) {
      reason << loss.c_str();
      copy_text(state.text, sizeof state.text, reason.c_str());
      __atomic_store_n(&state.away, State::Lost, __ATOMIC_RELEASE); // the next caller gets the error
    }
    if (taken)
      give_back(state);
    else if (is_inherited(session))
      break; // a run of the parent process has taken the state, and never returns it in this process
    else
      yield_core();
  }
  stop_gpu(session);
}

constexpr StateParts gpu_state_parts = {prepare_state, upload_state,       record_second, to_copy,
                                        record_move,   run_part_on_copies, commit,        give_up_state};

} // namespace nacre::runtime
