// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a state: the tensors that a model keeps from run to run, and who has them.
// Why:   sessions share one, and apps save it, so it is an object of its own; a session has one for itself, too.
// How:   one word says whether a run or a call has it; there is no waiting. A model without variables links none of what
//        lies in this folder but no_state.cpp: see runtime/features.def.

#ifndef NACRE_RUNTIME_SRC_STATE_H
#define NACRE_RUNTIME_SRC_STATE_H

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/session_plan.h"
#include "runtime/src/slots.h"

namespace nacre::runtime {

struct State {
  nacre_state head; // first: what state.h calls through
  const nacre_model_table *model;
  const char *weights; // what tensors may be at first
  char *data;
  uint64_t writes;    // by apps and by runs: an engine that has a copy of the data then takes it anew
  uint32_t busy;      // 1: a run or a call has it
  uint32_t away;      // of State::Place
  const char *reason; // the text below, or a constant; whoever is refused may not write the text
  nacre_allocator allocator;
  uint64_t block_bytes; // of one that nacre_state_create made; 0 of a session's own
  nacre_log_function log;
  void *log_user;
  char text[248];
  Session *owner; // whose GPU has the data, where it is away

  /// Where the current data is: here; with the GPU of the owner, which has committed runs since; or here, but older, because a
  /// GPU that had newer data was lost, which `text` tells and nobody has been told.
  enum Place : uint32_t { Here, WithGpu, Lost };
};

/// Everything but the tensors' elements.
void set_up(State &state, const SessionPlan &plan, const nacre_allocator &allocator, char *data);

inline bool take(State &state) { return __atomic_exchange_n(&state.busy, 1, __ATOMIC_ACQUIRE) == 0; }
inline void give_back(State &state) { __atomic_store_n(&state.busy, 0, __ATOMIC_RELEASE); }

/// Brings the data here, for whoever has the state. False, with the reason, where newer data was lost: once, and then the data here
/// is what counts. Only models with GPU code have data elsewhere.
inline bool bring_home(State &state, Reason &reason) {
  return state.away == State::Here || state.model->gpu_engine->bring_state(state, reason);
}

/// What a call is given behind the state, in the order of nacre_state_functions.
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

/// What a call does once it has the state. What fails changes nothing, and says why.
using StateAction = nacre_status(State &, const StateCall &, Reason &);
__attribute__((visibility("hidden"))) StateAction save, load; // else their addresses are in a table

/// Says that the file cannot be read or written, by the system's number of why.
nacre_status refuse_file(long error, const char *what, Reason &reason);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_H
