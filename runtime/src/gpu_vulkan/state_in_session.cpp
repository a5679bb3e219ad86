// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whose is the newest data of a state: the engine of models with variables.
// Why:   a state that the GPU has changed comes home when somebody else needs it, and what is lost with a GPU is told.
// How:   a word of the state says where the data is; who has the state, may change it. Reached through StateParts.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"

namespace nacre::runtime {
using namespace gpu;

namespace {

bool has_newest_state(const Session &session) {
  const State &state = *session.state;
  return __atomic_load_n(&state.away, __ATOMIC_ACQUIRE) == State::WithGpu &&
         __atomic_load_n(&state.owner, __ATOMIC_RELAXED) == &session;
}

/// Copies the state from the session's GPU. False, with the reason and the loss, if what it has committed is lost.
bool fetch_state(Session &session, Reason &reason, Reason &loss) {
  Engine &engine = *static_cast<Engine *>(session.gpu);
  const bool inherited = is_inherited(session);
  if (inherited)
    reason << "the GPU belongs to the parent process";
  const bool fetched = !inherited && download_state(engine, engine.current, reason);
  if (!fetched) {
    const uint64_t runs = commits_ahead(engine);
    loss << "; the state is that after run " << engine.known_commits << " on the GPU: what " << runs
         << (runs == 1 ? " later run" : " later runs") << " made of it is lost";
    ++session.state->writes; // engines that are still there have to take it anew
  }
  engine.known_commits = engine.commits;
  __atomic_store_n(&session.state->away, State::Here, __ATOMIC_RELEASE);
  return fetched;
}

void give_up_state(Session &session, Reason &message) {
  Reason again; // why the state is lost, too
  if (has_newest_state(session))
    fetch_state(session, again, message);
}

} // namespace

bool bring_state(State &state, Reason &reason) {
  if (state.away == State::WithGpu) {
    Reason loss;
    const bool fetched = fetch_state(*state.owner, reason, loss);
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
    fail(session, lost, NACRE_FAILED); // the run goes on from what there is
  const nacre_status status = run_on_gpu(session, limits);
  if (status != NACRE_FAILED) {
    const bool is_ahead = commits_ahead(*static_cast<const Engine *>(session.gpu)) != 0;
    __atomic_store_n(&session.state->owner, &session, __ATOMIC_RELAXED);
    __atomic_store_n(&session.state->away, is_ahead ? State::WithGpu : State::Here, __ATOMIC_RELEASE);
  }
  return status;
}

/// A state that others share comes home first. Whoever has it meanwhile brings it home, so there is no longer wait than for that.
void stop_with_state(Session &session) {
  State &state = *session.state;
  while (&state != &session.own_state && has_newest_state(session)) {
    const bool taken = take(state);
    Reason reason, loss;
    if (taken && has_newest_state(session) && !fetch_state(session, reason, loss)) {
      reason << loss.c_str();
      copy_text(state.text, sizeof state.text, reason.c_str());
      __atomic_store_n(&state.away, State::Lost, __ATOMIC_RELEASE); // whoever comes next is told
    }
    if (taken)
      give_back(state);
    else if (is_inherited(session))
      break; // the parent's run has it, and never ends here
    else
      yield_core();
  }
  stop_gpu(session);
}

constexpr StateParts gpu_state_parts = {prepare_state, upload_state,       record_second, to_copy,
                                        record_move,   run_part_on_copies, commit,        give_up_state};

} // namespace nacre::runtime
