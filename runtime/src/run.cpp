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

void run_launch_timed(const Session &session, uint32_t index, int64_t iteration, uint64_t start) {
  nacre_launch_time &time = session.times[index];
  const uint64_t begin = now();
  run_launch(session, session.memory, session.entry->steps[index], session.launches[index], iteration);
  time.total += now() - begin;
  if (time.executions++ == 0)
    time.begin = begin - start;
  time.cpu_total = time.total;
  time.cpu_share = time.cut_extent = session.entry->steps[index].cut_extent;
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

} // namespace

nacre_status session_run(nacre_session *handle) {
  Session &session = *reinterpret_cast<Session *>(handle);
  const nacre_entry &entry = *session.entry;
  if (run_on_gpu(session)) {
    session.has_run = true;
    return NACRE_OK;
  }
  uint64_t start = 0;
  if (session.times) {
    __builtin_memset(session.times, 0, entry.step_count * sizeof(nacre_launch_time));
    start = now();
  }
  walk_launches(entry, [&session, &entry, start](uint32_t step, int64_t iteration) {
    if (session.times)
      run_launch_timed(session, step, iteration, start);
    else
      run_launch(session, session.memory, entry.steps[step], session.launches[step], iteration);
  });
  session.has_run = true;
  return NACRE_OK;
}

} // namespace nacre::runtime
