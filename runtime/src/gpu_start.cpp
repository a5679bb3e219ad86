// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see gpu_start.h.
// Why:   see there.
// How:   the thread reads of the session what no run changes, and writes GpuStart alone.

#include "runtime/src/gpu_start.h"
#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

void *run_start(void *argument) {
  Session &session = *static_cast<Session *>(argument);
  GpuStart &start = session.start;
  start.engine = session.gpu_engine->create(session, start.options, start.cpu_features, start.reason);
  __atomic_store_n(&start.state, GpuStart::Over, __ATOMIC_RELEASE);
  return nullptr;
}

/// An engine, or why there is none; an engine may have a reason too.
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
  if (!session.gpu_engine || options.gpu == NACRE_GPU_NEVER || (!required && !placed && !options.tune_budget_ms))
    return true; // check_options has refused a required GPU for a model that has no code for it
  GpuStart &start = session.start;
  if (options.gpu_background && !required && !options.gpu_self_test && !options.tune_budget_ms) {
    start.options = options;
    start.cpu_features = plan.features;
    start.state = GpuStart::UnderWay;
    if (start_thread(start.thread, run_start, &session))
      return true;
    start.state = GpuStart::None; // without a thread it is done here
  }
  void *engine = session.gpu_engine->create(session, options, plan.features, reason);
  if (!engine && required)
    return false;
  settle(session, engine, reason);
  return true;
}

void take_gpu(Session &session) {
  GpuStart &start = session.start;
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::Over)
    return;
  join_thread(start.thread); // at its last instruction
  start.state = GpuStart::None;
  settle(session, start.engine, start.reason);
}

void stop_gpu(Session &session) {
  GpuStart &start = session.start;
  if (__atomic_load_n(&start.state, __ATOMIC_ACQUIRE) != GpuStart::None) {
    __atomic_store_n(&start.cancelled, 1, __ATOMIC_RELAXED);
    join_thread(start.thread);
    session.gpu = start.engine;
  }
  if (session.gpu)
    session.gpu_engine->destroy(session.gpu);
}

} // namespace nacre::runtime
