// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see gpu_engine.h: when a session gets the engine, what it does if that fails, and when it gives it back.
// Why:   a driver may take seconds to compile what an app wants to use now, and may fail at any time; runs give right
//        answers all the same. A state that the GPU has changed comes home when somebody else needs it.
// How:   a thread may make the engine while the CPU serves runs: it reads of the session what no run changes, and writes
//        GpuStart alone. A child of the process, by fork(), leaves the engine alone.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

void *run_start(void *argument) {
  Session &session = *static_cast<Session *>(argument);
  GpuStart &start = session.start;
  start.engine = create(session, start.options, start.cpu_features, start.reason);
  __atomic_store_n(&start.state, GpuStart::Over, __ATOMIC_RELEASE);
  return nullptr;
}

/// Keeps the engine, or nullptr and the reason. An engine may have a reason, too.
void settle(Session &session, void *engine, const Reason &reason) {
  session.gpu = engine;
  copy_text(session.reason, sizeof session.reason, reason.c_str());
  if (!engine)
    tell(session, reason);
}

bool start_gpu(Session &session, const SessionPlan &plan, Reason &reason) {
  const nacre_session_options &options = plan.options;
  const bool placed = options.gpu_cut > 1 || (options.gpu_cut == 0 && has_gpu_share(*plan.entry));
  const bool required = options.gpu == NACRE_GPU_REQUIRED;
  if (options.gpu == NACRE_GPU_NEVER || (!required && !placed && !options.tune_budget_ms))
    return true;
  GpuStart &start = session.start;
  if (options.gpu_background && !required && !options.gpu_self_test && !options.tune_budget_ms) {
    start.options = options;
    start.cpu_features = plan.features;
    start.state = GpuStart::UnderWay;
    if (start_thread(start.thread, run_start, &session))
      return true;
    start.state = GpuStart::None; // without a thread it is done here
  }
  void *engine = create(session, options, plan.features, reason);
  if (!engine && required)
    return false;
  settle(session, engine, reason);
  return true;
}

/// Takes over what a thread has made, if it is done.
void take_gpu(Session &session) {
  GpuStart &start = session.start;
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::Over)
    return;
  join_thread(start.thread); // at its last instruction
  start.state = GpuStart::None;
  settle(session, start.engine, start.reason);
}

/// Does without the engine. `inherited`: in a child of the process that has it.
void drop_gpu(Session &session, bool inherited) {
  session.start.state = GpuStart::None;
  if (session.gpu)
    destroy(session.gpu, inherited);
  session.gpu = nullptr;
}

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

nacre_status give_up(Session &session, const char *why, bool inherited) {
  Reason message;
  message << why << "; the CPU computes this and all later runs";
  Reason again; // why the state is lost, too
  if (has_newest_state(session))
    fetch_state(session, again, message);
  drop_gpu(session, inherited);
  return fail(session, message, NACRE_FAILED);
}

/// Before the session is destroyed: a state that others share comes home. Whoever has it meanwhile brings it home first, so there is no
/// longer wait than for that.
void leave_state(Session &session) {
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
      return; // the parent's run has it, and never ends here
    else
      yield_core();
  }
}

/// Whether there is an engine for a run.
bool has_engine(Session &session) {
  if (!session.gpu && __atomic_load_n(&session.start.state, __ATOMIC_RELAXED) == GpuStart::None)
    return false;
  if (is_inherited(session))
    give_up(session, "the GPU belongs to the parent process", true);
  else
    take_gpu(session);
  return session.gpu;
}

nacre_status run_on_gpu(Session &session, RunLimits &limits) {
  State &state = *session.state;
  Reason lost;
  if (!has_newest_state(session) && !bring_home(state, lost))
    fail(session, lost, NACRE_FAILED); // the run goes on from what there is
  if (!has_engine(session))
    return NACRE_FAILED;
  Reason reason;
  const nacre_status status = run(session.gpu, limits, reason);
  if (status == NACRE_FAILED)
    return give_up(session, reason.c_str(), false);
  if (commits_ahead(*static_cast<const Engine *>(session.gpu)) != 0) {
    __atomic_store_n(&state.owner, &session, __ATOMIC_RELAXED);
    __atomic_store_n(&state.away, State::WithGpu, __ATOMIC_RELEASE);
  }
  return status;
}

void describe_gpu(Session &session, nacre_session_info &info) {
  if (has_engine(session))
    describe(session.gpu, info);
}

void stop_gpu(Session &session) {
  GpuStart &start = session.start;
  leave_state(session);
  if (is_inherited(session))
    return drop_gpu(session, true);
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::None) {
    __atomic_store_n(&start.cancelled, 1, __ATOMIC_RELAXED);
    join_thread(start.thread);
    session.gpu = start.engine;
  }
  drop_gpu(session, false);
}

} // namespace
} // namespace nacre::runtime::gpu

using namespace nacre::runtime::gpu;

const nacre_gpu_engine nacre_runtime_gpu_vulkan = {start_gpu,    run_on_gpu, bring_state,
                                                   describe_gpu, stop_gpu,   describe_device};
