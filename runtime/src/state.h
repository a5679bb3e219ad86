// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state: the tensors that a model keeps from run to run, and their current owner.
// Why: sessions can share a state, and apps can save it, so it is an object of its own. A session also has its own one.
// How: one word tells whether a run or call uses it; nothing ever waits. The compiler chooses the table of functions
//      that a model points to. So a model without variables links only no_state.cpp of the folder state.

#ifndef NACRE_RUNTIME_SRC_STATE_H
#define NACRE_RUNTIME_SRC_STATE_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/gpu_engine.h"
#include "runtime/src/session_plan.h"

namespace nacre::runtime {

struct State {
  nacre_state head; // First: state.h calls through it.
  const nacre_model_table *model;
  const char *weights; // Initial values of the tensors.
  char *data;
  // Count of writes by apps and runs. An engine with a copy of the data compares it to know when to copy again.
  uint64_t writes;
  uint32_t busy;      // 1 while a run or a call uses it.
  uint32_t away;      // A value of State::Place.
  const char *reason; // `text`, or a constant: a refused call must not write `text`.
  nacre_allocator allocator;
  uint64_t block_bytes; // Size of the block from nacre_state_create; 0 for a session's own state.
  nacre_log_function log;
  void *log_user;
  char text[248];
  Session *owner; // Session whose GPU has the data, while `away` is WithGpu.

  /// Location of the current data. Here: in `data`. WithGpu: with the GPU of `owner`, which has committed runs. Lost:
  /// `data` is older, because a GPU lost newer data. `text` says so, but no caller has been told yet.
  enum Place : uint32_t { Here, WithGpu, Lost };
};

/// Initializes everything except the tensors' elements.
void set_up(State &state, const SessionPlan &plan, const nacre_allocator &allocator, char *data);

inline bool take(State &state) { return __atomic_exchange_n(&state.busy, 1, __ATOMIC_ACQUIRE) == 0; }
inline void give_back(State &state) { __atomic_store_n(&state.busy, 0, __ATOMIC_RELEASE); }

/// Copies the data back to the CPU; the caller must have taken the state. Returns false once, with the reason, if newer
/// data was lost. After that, the data here is valid. Only models with GPU code have data elsewhere.
inline bool bring_home(State &state, Reason &reason) {
  return state.away == State::Here || state.model->gpu_engine->bring_state(state, reason);
}

/// Functions of states. A session calls `check` before it has a state.
struct StateTable {
  nacre_state_functions calls; // First.
  /// True if all variables are inside the state, have a known storage, and have initial values.
  bool (*check)(const nacre_model_table &model, Reason &reason);
};

inline const StateTable &state_table(const nacre_model_table &model) {
  return *reinterpret_cast<const StateTable *>(model.head.functions->state);
}

extern const StateTable no_state;
extern const StateTable stateful;

/// Argument of a call, in the order of nacre_state_functions.
union Word {
  uint64_t number;
  void *data;

  Word() : number(0) {}
  Word(uint32_t number) : number(number) {}
  Word(size_t number) : number(number) {}
  Word(const void *data) : data(const_cast<void *>(data)) {}

  const char *text() const { return static_cast<const char *>(data); }
};
struct StateCall {
  Word words[4];
};

/// Action of a call that has taken the state. On failure it changes nothing and sets the reason.
using StateAction = nacre_status(State &, const StateCall &, Reason &);
// Without `hidden`, their addresses would be in a table.
__attribute__((visibility("hidden"))) StateAction save, load;

/// Reports that a file cannot be read or written, with the text of the system's error.
nacre_status refuse_file(long error, const char *what, Reason &reason);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_H
