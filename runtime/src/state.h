// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state: the tensors that a model keeps from run to run, and their current owner.
// Why: sessions can share a state, and apps can save it, so a state is a separate object. Each session contains one,
//      which it uses unless the app passes another.
// How: the word `busy` tells whether a run or a call uses the state; a second user gets an error and never waits.
//      runtime/features.def lists the functions that models with variables link. A model without variables links only
//      no_state.cpp of the folder state.

#ifndef NACRE_RUNTIME_SRC_STATE_H
#define NACRE_RUNTIME_SRC_STATE_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/session_plan.h"
#include "runtime/src/slots.h"

namespace nacre::runtime {

struct State {
  nacre_state head; // Must be first, because functions of nacre/state.h call through it.
  const nacre_model_table *model;
  const char *weights; // Initial values of the tensors.
  char *data;
  // Count of writes by apps and runs. An engine that has a copy of the data copies it again if the count has changed.
  uint64_t writes;
  uint32_t busy;      // 1 while a run or a call uses the state.
  uint32_t away;      // A value of State::Place.
  const char *reason; // Points to `text` or to a constant text. A call that finds the state busy must not write `text`.
  nacre_allocator allocator;
  uint64_t block_bytes; // Size of the block from nacre_state_create; 0 for a session's own state.
  nacre_log_function log;
  void *log_user;
  char text[248];
  void *owner; // Engine that has the data, while `away` is WithGpu: the `gpu` of an entry's view.

  /// Location of the current data. Here: in `data`. WithGpu: in the memory of the GPU of `owner`, which has computed
  /// runs. Lost: a GPU lost the current data, so `data` is older. `text` contains this reason, but no caller has
  /// received it yet.
  enum Place : uint32_t { Here, WithGpu, Lost };
};

/// Initializes all fields of `state`, but not the tensors' elements in `data`.
void set_up(State &state, const SessionPlan &plan, const nacre_allocator &allocator, char *data);

inline bool take(State &state) { return __atomic_exchange_n(&state.busy, 1, __ATOMIC_ACQUIRE) == 0; }
inline void give_back(State &state) { __atomic_store_n(&state.busy, 0, __ATOMIC_RELEASE); }

/// Copies the current data from the GPU to `state.data`, if it is not there. The caller must have taken the state. If
/// newer data was lost, returns false once and sets `reason`. Later calls accept the older data.
inline bool bring_home(State &state, Reason &reason) {
  return state.away == State::Here || state.model->gpu_engine->bring_state(state, reason);
}

/// Argument of a call of nacre_state_functions: a number or a pointer.
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

/// Work of a call, on a state that the call has taken. On failure, it leaves the state unchanged and sets the reason.
using StateAction = nacre_status(State &, const StateCall &, Reason &);
// Without `hidden`, the compiler would load the functions' addresses from a table.
__attribute__((visibility("hidden"))) StateAction save, load;

/// Reports that a file cannot be read or written (`what` is "read" or "write"), with the system's error text.
nacre_status refuse_file(long error, const char *what, Reason &reason);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_H
