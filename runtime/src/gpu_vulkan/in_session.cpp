// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements gpu_engine.h: when a session gets the engine, how it reacts to failures, and when it releases the engine.
// Why: compiling shaders may take seconds and may fail, but runs must give correct results meanwhile.
// How: a thread may create the engine while the CPU computes runs. The thread reads only fields that runs do not
//      change, and writes only GpuStart. A child process after fork() does not use the engine.

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

/// Stores `engine`, which may be nullptr, and `reason` in the session. A usable engine may have a reason, too.
void settle(Session &session, void *engine, const Reason &reason) {
  session.view.gpu = engine;
  copy_text(session.reason, sizeof session.reason, reason.c_str());
  if (!engine)
    tell(session, reason);
}

/// True if the GPU computes a share of at least one launch of the entry.
bool has_gpu_share(const nacre_entry &entry) {
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH && entry.steps[i].gpu_begin < entry.steps[i].gpu_end)
      return true;
  return false;
}

} // namespace

bool start_gpu(Session &session, const SessionPlan &plan, Reason &reason) {
  const nacre_session_options &options = plan.options;
  const bool placed = options.gpu_cut > 1 || (options.gpu_cut == 0 && has_gpu_share(*session.view.entry));
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
    start.state = GpuStart::None; // no thread could be started, so the engine is created below
  }
  void *engine = create(session, options, plan.features, reason);
  if (!engine && required)
    return false;
  settle(session, engine, reason);
  return true;
}

namespace {

/// Stores the engine that a thread has created, if the thread is done.
void take_gpu(Session &session) {
  GpuStart &start = session.start;
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::Over)
    return;
  join_thread(start.thread); // takes little time, because the thread has written its result
  start.state = GpuStart::None;
  settle(session, start.engine, start.reason);
}

/// Destroys the engine; the session continues on the CPU. If `inherited`, this process is a child of the process that
/// owns the engine.
void drop_gpu(Session &session, bool inherited) {
  session.start.state = GpuStart::None;
  if (session.view.gpu)
    destroy(session.view.gpu, inherited);
  session.view.gpu = nullptr;
}

/// Reports why the session continues without its GPU, and destroys the engine. Returns NACRE_FAILED.
nacre_status give_up(Session &session, const char *why, bool inherited) {
  Reason message;
  message << why << "; the CPU computes this and all later runs";
  if (const StateParts *parts = state_parts(session))
    parts->give_up(session, message);
  drop_gpu(session, inherited);
  return fail(session, message, NACRE_FAILED);
}

/// Returns true if a run can use the engine. First stores the engine of a thread that is done.
bool has_engine(Session &session) {
  if (!session.view.gpu && __atomic_load_n(&session.start.state, __ATOMIC_RELAXED) == GpuStart::None)
    return false;
  if (is_inherited(session))
    give_up(session, "the GPU belongs to the parent process", true);
  else
    take_gpu(session);
  return session.view.gpu;
}

} // namespace

nacre_status run_on_gpu(Session &session, RunLimits &limits) {
  if (!has_engine(session))
    return NACRE_FAILED;
  Reason reason;
  const nacre_status status = run(session.view.gpu, limits, reason);
  return status == NACRE_FAILED ? give_up(session, reason.c_str(), false) : status;
}

void describe_gpu(Session &session, nacre_session_info &info) {
  if (has_engine(session))
    describe(session.view.gpu, info);
}

void stop_gpu(Session &session) {
  GpuStart &start = session.start;
  if (is_inherited(session))
    return drop_gpu(session, true);
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::None) {
    __atomic_store_n(&start.cancelled, 1, __ATOMIC_RELAXED);
    join_thread(start.thread);
    session.view.gpu = start.engine;
  }
  drop_gpu(session, false);
}

} // namespace nacre::runtime
