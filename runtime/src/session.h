// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a session, as it lies at the start of its block.
// Why:   the plan needs its size, the calls its fields.
// How:   plain data; the arrays and regions behind it are placed by session_plan.

#ifndef NACRE_RUNTIME_SRC_SESSION_H
#define NACRE_RUNTIME_SRC_SESSION_H

#include "runtime/src/gpu_engine.h"
#include "runtime/src/gpu_start.h"
#include "runtime/src/launch.h"
#include "runtime/src/session_plan.h"
#include "runtime/src/state.h"
#include "runtime/src/thread_pool.h"

namespace nacre::runtime {

struct Session {
  nacre_session head; // first: what runtime.h calls through
  State own_state;
  State *state; // its own, or one that sessions share
  const nacre_model_table *model;
  const nacre_entry *entry;
  const char *weights;
  nacre_executor *executor; // the caller's, or our pool's
  uint64_t process;         // that made it; a child of it, by fork(), has neither its threads nor its GPU
  uint64_t max_iterations;
  uint32_t phase; // of a run: a word that other threads and signal handlers may change
  bool owns_pool;
  bool has_run;         // to its end, the latest time
  bool has_new_buffers; // bound since they were found to lie apart

  const nacre_gpu_engine *gpu_engine; // with `gpu`
  void *gpu;                          // the engine's; nullptr where the CPU computes everything
  GpuStart start;

  Memory memory;
  const Launch *launches;   // of the CPU alone: each has the whole of its cut axis
  void **pointers;          // the running launch's buffers; before a run its ports in order
  nacre_launch_time *times; // nullptr without profile
  char *scratch;
  uint64_t scratch_stride;

  nacre_allocator allocator;
  uint64_t block_bytes;
  nacre_log_function log;
  void *log_user;
  char reason[256];

  ThreadPool pool;
};

/// What `phase` may be.
enum RunPhase : uint32_t { Idle, Running, Cancelled };

inline bool is_run_cancelled(const Session &session) {
  return __atomic_load_n(&session.phase, __ATOMIC_RELAXED) == RunPhase::Cancelled;
}

/// Whether this process is a child of the one that made the session.
inline bool is_inherited(const Session &session) { return session.process != process_number(); }

/// Tells the session's log, if it has one.
inline void tell(const Session &session, const Reason &text) {
  if (session.log)
    session.log(session.log_user, NACRE_LOG_INFO, text.c_str());
}

/// Keeps the reason for the app to ask for, and tells the log.
nacre_status fail(Session &session, const Reason &reason, nacre_status status = NACRE_BAD_ARGUMENT);

/// Tells the app, which has no session, or no state, to ask.
nacre_status fail_create(const nacre_session_options &options, const Reason &reason, nacre_status status);

nacre_status session_memory(const nacre_model *, uint32_t api_version, const nacre_session_options *, size_t info_size,
                            nacre_memory_info *);
nacre_status session_create(const nacre_model *, uint32_t api_version, const nacre_session_options *, nacre_session **);
void session_destroy(nacre_session *);
nacre_status session_input(nacre_session *, uint32_t index, void **);
nacre_status session_output(nacre_session *, uint32_t index, void **);
nacre_status session_find_input(nacre_session *, const char *name, uint32_t *);
nacre_status session_find_output(nacre_session *, const char *name, uint32_t *);
nacre_status session_bind_input(nacre_session *, uint32_t index, const void *);
nacre_status session_bind_output(nacre_session *, uint32_t index, void *);
nacre_status session_run(nacre_session *);
nacre_status session_cancel(nacre_session *);
nacre_status session_state(nacre_session *, nacre_state **);
nacre_status session_launch_time(nacre_session *, uint32_t index, size_t time_size, nacre_launch_time *);
nacre_status session_output_dims(nacre_session *, uint32_t index, int64_t *);
nacre_status session_describe(nacre_session *, size_t info_size, nacre_session_info *);
const char *session_reason(const nacre_session *);
nacre_status executor_create(uint32_t threads, const nacre_allocator *, nacre_executor **);
void executor_destroy(nacre_executor *);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SESSION_H
