// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see gpu_engine.h: when a session gets the engine, what it does if that fails, and when it gives it back.
// Why:   a driver may take seconds to compile what an app wants to use now, and may fail at any time; runs give right
//        answers all the same. A state that the GPU has changed comes home when somebody else needs it.
// How:   a thread may make the engine while the CPU serves runs: it reads of the session what no run changes, and writes
//        GpuStart alone. A child of the process, by fork(), leaves the engine alone.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/steps.h"

namespace nacre::runtime {
using namespace gpu;

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

} // namespace

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

namespace {

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

nacre_status give_up(Session &session, const char *why, bool inherited) {
  Reason message;
  message << why << "; the CPU computes this and all later runs";
  if (const StateParts *parts = state_parts(session))
    parts->give_up(session, message);
  drop_gpu(session, inherited);
  return fail(session, message, NACRE_FAILED);
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

} // namespace

nacre_status run_on_gpu(Session &session, RunLimits &limits) {
  if (!has_engine(session))
    return NACRE_FAILED;
  Reason reason;
  const nacre_status status = run(session.gpu, limits, reason);
  return status == NACRE_FAILED ? give_up(session, reason.c_str(), false) : status;
}

void describe_gpu(Session &session, nacre_session_info &info) {
  if (has_engine(session))
    describe(session.gpu, info);
}

void stop_gpu(Session &session) {
  GpuStart &start = session.start;
  if (is_inherited(session))
    return drop_gpu(session, true);
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::None) {
    __atomic_store_n(&start.cancelled, 1, __ATOMIC_RELAXED);
    join_thread(start.thread);
    session.gpu = start.engine;
  }
  drop_gpu(session, false);
}

} // namespace nacre::runtime
