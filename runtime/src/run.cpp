// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  walks the table of steps once: nacre_session_run.
// Why:   this is all that is left of a model's control flow on the device.
// How:   launch after launch. Where a GPU takes part, its engine walks instead; if that fails, the walk here gives the
//        answer, because inputs are read only and the state is as it was.

#include "runtime/src/session.h"
#include "runtime/src/steps.h"

namespace nacre::runtime {
namespace {

/// Of a run in which the CPU had all of everything.
void complete_times(Session &session) {
  for (uint32_t i = 0; i < session.entry->step_count; ++i) {
    nacre_launch_time &time = session.times[i];
    time.total = time.cpu_total;
    time.cpu_share = time.cut_extent = session.entry->steps[i].cut_extent;
  }
}

/// False where no GPU takes part, or none any more: then the CPU has everything to do, now and later.
bool run_on_gpu(Session &session) {
  take_gpu(session);
  if (!session.gpu)
    return false;
  Reason reason;
  if (session.gpu_engine->run(session.gpu, reason))
    return true;
  session.gpu_engine->destroy(session.gpu);
  session.gpu = nullptr;
  Reason message;
  message << reason.c_str() << "; the CPU computes this run and all that follow";
  copy_text(session.reason, sizeof session.reason, message.c_str());
  if (session.log)
    session.log(session.log_user, NACRE_LOG_ERROR, session.reason);
  return false;
}

bool overlap(const char *a, uint64_t a_bytes, const char *b, uint64_t b_bytes) {
  const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
  return first < second + b_bytes && second < first + a_bytes && a_bytes != 0 && b_bytes != 0;
}

/// Whether outputs lie apart from all else; inputs are only read, and may share what they like. Asked at a run and not
/// at each binding, so that an app may exchange two buffers.
bool check_buffers(Session &session, Reason &reason) {
  const nacre_entry &entry = *session.entry;
  const Memory &memory = session.memory;
  for (uint32_t i = 0; i < entry.output_count; ++i)
    for (uint32_t j = 0; j < i + entry.input_count; ++j) {
      const bool is_output = j < i;
      const uint32_t other = is_output ? j : j - i;
      if (!overlap(memory.outputs[i].used, entry.outputs[i].bytes,
                   (is_output ? memory.outputs : memory.inputs)[other].used,
                   (is_output ? entry.outputs : entry.inputs)[other].bytes))
        continue;
      reason << "the buffer of output " << uint64_t(i) << " must lie apart from that of "
             << (is_output ? "output " : "input ") << uint64_t(other) << ", but they overlap; bind another";
      return false;
    }
  return true;
}

void run_on_cpu(Session &session) {
  uint64_t start = 0;
  if (session.times) {
    __builtin_memset(session.times, 0, session.entry->step_count * sizeof(nacre_launch_time));
    start = now();
  }
  run_steps(session, session.memory, session.launches, 0, session.entry->step_count, NACRE_ENDLESS, start);
  if (session.times)
    complete_times(session);
  ++session.state->writes;
}

} // namespace

nacre_status session_run(nacre_session *handle) {
  Session &session = *reinterpret_cast<Session *>(handle);
  if (session.has_new_buffers) {
    Reason reason;
    if (!check_buffers(session, reason))
      return fail(session, reason);
    session.has_new_buffers = false;
  }
  if (!take(*session.state)) {
    Reason reason;
    reason << "the session's state must be free, but another run or call has it; wait for that";
    return fail(session, reason);
  }
  session.has_run = true;
  if (!run_on_gpu(session))
    run_on_cpu(session);
  give_back(*session.state);
  return NACRE_OK;
}

} // namespace nacre::runtime
