// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a session, at the beginning of its block.
// Why: plan_session() needs the size of the struct, and the session's functions need its fields.
// How: plain data. plan_session() places the arrays and regions that follow the struct. The current entry is a part of
//      the struct. A session with several entries exchanges it, so that other code needs no pointer to it.

#ifndef NACRE_RUNTIME_SRC_SESSION_H
#define NACRE_RUNTIME_SRC_SESSION_H

#include "runtime/src/gpu_engine.h"
#include "runtime/src/gpu_start.h"
#include "runtime/src/launch.h"
#include "runtime/src/session_plan.h"
#include "runtime/src/slot_functions.h"
#include "runtime/src/state.h"
#include "runtime/src/thread_pool.h"

namespace nacre::runtime {

/// Everything in a session that belongs to one entry.
struct EntryView {
  const nacre_entry *entry;
  Memory memory;
  const Launch *launches;   // Launches of runs on the CPU only: each computes its whole cut axis.
  nacre_launch_time *times; // Null without a profile.
  void *gpu;                // The GPU engine's data, with its recordings; nullptr if the CPU computes everything.
  bool has_run;             // True if the latest run was completed.
  bool has_new_buffers;     // True if buffers were bound after the last check for overlaps.
};

struct Session {
  nacre_session head; // Must be first: functions of runtime.h call through it.
  State *state;       // The session's own state, or a shared one.
  const nacre_model_table *model;
  EntryView view; // The current entry.
  const char *weights;
  nacre_executor *executor; // The caller's executor, or the executor of `pool`.
  uint64_t process;         // Process that created the session. After fork(), the child process has neither the
                            // session's threads nor its GPU.
  uint64_t max_iterations;
  uint32_t phase; // Phase of a run; other threads and signal handlers may change it.
  bool owns_pool;

  const nacre_gpu_engine *gpu_engine; // Null if the model has no code for a GPU.

  void **pointers; // Addresses of the operands of the running launch. Before a run: indices of the inputs and outputs.
  char *scratch;
  uint64_t scratch_stride;

  nacre_allocator allocator;
  uint64_t block_bytes;
  nacre_log_function log;
  void *log_user;
  State own_state;
  GpuStart start;
  char reason[256];

  ThreadPool pool;

  // Views of all entries, while they are not in `view`. Null if the session has one entry. Only entries.cpp uses it,
  // which a model with one entry does not link.
  EntryView *views;
};

/// Values of `phase`.
enum RunPhase : uint32_t { Idle, Running, Cancelled };

inline bool is_run_cancelled(const Session &session) {
  return __atomic_load_n(&session.phase, __ATOMIC_RELAXED) == RunPhase::Cancelled;
}

/// True if this process is a child of the one that created the session.
inline bool is_inherited(const Session &session) { return session.process != process_number(); }

/// Writes to the session's log, if it has one.
inline void tell(const Session &session, const Reason &text) {
  if (session.log)
    session.log(session.log_user, NACRE_LOG_INFO, text.c_str());
}

/// Returns the memory of a session that `planner` plans.
nacre_status memory_of_planned(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                               size_t info_size, nacre_memory_info *out_memory, SessionPlanner *planner);

/// Creates a session as `planner` plans it, with the view of the plan's entry.
nacre_status create_planned(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                            nacre_session **out_session, SessionPlanner *planner);

/// Returns NACRE_OK if `index` is below `count`. `what` says what is counted.
nacre_status check_index(Session &session, const char *what, uint32_t index, uint32_t count);

/// Initializes the view of `plan.view.entry`.
void set_up(EntryView &view, const SessionPlan &plan, char *block, char *state);

/// Stores the reason for the app, and writes it to the log. Returns `status`.
nacre_status fail(Session &session, const Reason &reason, nacre_status status = NACRE_BAD_ARGUMENT);

/// Reports a reason through the options' log, because the app has no session or state to ask.
nacre_status fail_create(const nacre_session_options &options, const Reason &reason, nacre_status status);

/// The call nacre_session_state, of models with and without variables.
nacre_status session_state(nacre_session *, nacre_state **);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SESSION_H
