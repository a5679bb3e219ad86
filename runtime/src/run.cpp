// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements nacre_session_run, which walks the table of steps once.
// Why: this table is all that remains of a model's control flow on the device.
// How: executes one launch after another. If a GPU takes part, its engine walks the table instead. If the engine fails,
//      this file computes the run again on the CPU. That is possible because inputs and state are unchanged. Another
//      thread may cancel the run between launches.

#include "runtime/src/session.h"
#include "runtime/src/steps.h"

namespace nacre::runtime {
namespace {

/// Fills in the times of a run that the CPU computed without a GPU.
void complete_times(Session &session) {
  for (uint32_t i = 0; i < session.view.entry->step_count; ++i) {
    nacre_launch_time &time = session.view.times[i];
    time.total = time.cpu_total;
    time.cpu_share = time.cut_extent = session.view.entry->steps[i].cut_extent;
  }
}

RunLimits limits_of(const Session &session, uint32_t last_stop) {
  const uint64_t iterations = session.max_iterations ? session.max_iterations : UINT64_MAX;
  return {NACRE_ENDLESS, iterations, last_stop, NACRE_OK, 0};
}

/// Address range of the buffer of a port. Ports are outputs and inputs, in this order.
struct Range {
  const char *begin, *end;
};

Range range_of(const Session &session, uint32_t port) {
  const nacre_entry &entry = *session.view.entry;
  const Buffer *buffers = session.view.memory.outputs;
  const nacre_tensor *tensors = entry.outputs;
  if (port >= entry.output_count) {
    port -= entry.output_count;
    buffers = session.view.memory.inputs;
    tensors = entry.inputs;
  }
  return {buffers[port].used, buffers[port].used + tensors[port].bytes};
}

/// Returns false and sets `reason` if an output overlaps another port. Inputs are only read, so they may overlap each
/// other. This is checked at a run and not at each binding, so that an app may swap two buffers.
bool check_buffers(Session &session, Reason &reason) {
  const uint32_t outputs = session.view.entry->output_count, count = outputs + session.view.entry->input_count;
  auto *order = reinterpret_cast<uint32_t *>(session.pointers);
  for (uint32_t i = 0; i < count; ++i)
    order[i] = i;
  // Sorts by start address, with a comb sort because it is short.
  for (uint32_t gap = count, swaps = 1; gap > 1 || swaps;) {
    gap -= gap / 4 + (gap > 1);
    swaps = 0;
    for (uint32_t i = gap; i < count; ++i) {
      const uint32_t later = order[i - gap];
      if (range_of(session, order[i]).begin < range_of(session, later).begin) {
        order[i - gap] = order[i];
        order[i] = later;
        swaps = 1;
      }
    }
  }
  // Largest end of all ports that begin before the current one, and of the outputs among them.
  const char *end = nullptr, *end_of_outputs = nullptr;
  uint32_t last = 0, last_output = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t port = order[i];
    const Range range = range_of(session, port);
    const bool is_output = port < outputs;
    if (range.begin == range.end)
      continue;
    if (range.begin < (is_output ? end : end_of_outputs)) {
      const uint32_t output = is_output ? port : last_output, other = is_output ? last : port;
      reason << "the buffer of output " << uint64_t(output) << " must not overlap that of "
             << (other < outputs ? "output " : "input ") << uint64_t(other < outputs ? other : other - outputs)
             << "; bind another";
      return false;
    }
    if (range.end > end) {
      end = range.end;
      last = port;
    }
    if (is_output && range.end > end_of_outputs) {
      end_of_outputs = range.end;
      last_output = port;
    }
  }
  return true;
}

nacre_status run_on_cpu(Session &session, RunLimits &limits) {
  limits = limits_of(session, session.view.entry->first_write);
  uint64_t start = 0;
  if (session.view.times) {
    __builtin_memset(session.view.times, 0, session.view.entry->step_count * sizeof(nacre_launch_time));
    start = now();
  }
  run_steps(session, session.view.memory, session.view.launches, 0, session.view.entry->step_count, limits, start);
  if (limits.status != NACRE_OK)
    return limits.status;
  if (session.view.times)
    complete_times(session);
  session.state->writes += writes_state(*session.view.entry);
  return NACRE_OK;
}

nacre_status refuse_state(Session &session) {
  const bool inherited = is_inherited(session);
  Reason reason;
  reason << "the session's state is in use by another run or call; "
         << (inherited ? "it began before a fork and never ends: create a new session and state" : "wait for it");
  return fail(session, reason, inherited ? NACRE_FAILED : NACRE_BAD_ARGUMENT);
}

nacre_status tell_stop(Session &session, const RunLimits &limits) {
  const char *node = session.model->strings + session.view.entry->steps[limits.stopped_at].name;
  Reason reason;
  if (limits.status == NACRE_CANCELLED)
    reason << "the run was cancelled before '" << node << "'";
  else
    reason << "the run exceeded max_iterations (" << session.max_iterations << ") in the loop of '" << node << "'";
  return fail(session, reason, limits.status);
}

} // namespace

nacre_status session_run(nacre_session *handle) {
  Session &session = *reinterpret_cast<Session *>(handle);
  if (session.view.has_new_buffers) {
    Reason reason;
    if (!check_buffers(session, reason))
      return fail(session, reason);
    session.view.has_new_buffers = false;
  }
  if (!take(*session.state))
    return refuse_state(session);
  __atomic_store_n(&session.phase, RunPhase::Running, __ATOMIC_RELAXED);
  // Until the end of the run, a GPU changes only its own copy of the state.
  RunLimits limits = limits_of(session, UINT32_MAX);
  nacre_status status = session.gpu_engine ? session.gpu_engine->run(session, limits) : NACRE_FAILED;
  if (status == NACRE_FAILED)
    status = run_on_cpu(session, limits);
  __atomic_store_n(&session.phase, RunPhase::Idle, __ATOMIC_RELAXED);
  give_back(*session.state);
  session.view.has_run = status == NACRE_OK;
  return status == NACRE_OK ? status : tell_stop(session, limits);
}

nacre_status session_cancel(nacre_session *handle) {
  uint32_t phase = RunPhase::Running;
  const bool cancelled = __atomic_compare_exchange_n(&reinterpret_cast<Session *>(handle)->phase, &phase,
                                                     RunPhase::Cancelled, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return cancelled || phase == RunPhase::Cancelled ? NACRE_OK : NACRE_BAD_ARGUMENT;
}

} // namespace nacre::runtime
