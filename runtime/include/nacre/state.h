/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What a model remembers from run to run, for apps to reset, read and write. nacre/runtime.h includes this.
 *
 * Memory, threads, errors and units are as there.
 */
#ifndef NACRE_STATE_H
#define NACRE_STATE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a model remembers from run to run. What follows the head is the runtime's. */
typedef struct nacre_state {
  const nacre_state_functions *functions;
} nacre_state;

/** The table behind the calls below; grows as nacre_functions does. */
struct nacre_state_functions {
  uint32_t struct_size;
  nacre_status (*of_session)(nacre_session *, nacre_state **);
  nacre_status (*describe)(const nacre_model *, uint32_t index, size_t info_size, nacre_state_info *);
  nacre_status (*find)(nacre_state *, const char *name, uint32_t *);
  /** Reads into `data`, or, if `writes` is not 0, writes what is there. */
  nacre_status (*copy)(nacre_state *, uint32_t index, void *data, size_t bytes, uint32_t writes);
  nacre_status (*reset)(nacre_state *, uint32_t roles);
  const char *(*reason)(const nacre_state *);
};

/**
 * The session's own state, which lives as long as it. At first its tensors are zeros, or what the model says. A run reads
 * what they are when it begins, and what it makes of them is there when it ends; a run that fails leaves them as they
 * were. Between runs an app may read and write them; as the session, they belong to one thread at a time. Never fails.
 */
static inline nacre_status nacre_session_state(nacre_session *session, nacre_state **out_state) {
  return session->functions->state->of_session(session, out_state);
}

/** Describes one tensor of the state that a model's sessions have. NACRE_BAD_ARGUMENT: there are fewer. */
static inline nacre_status nacre_state_describe(const nacre_model *model, uint32_t index, nacre_state_info *out_info) {
  return model->functions->state->describe(model, index, sizeof(*out_info), out_info);
}

/** The number of the tensor of that name. NACRE_BAD_ARGUMENT: there is none. */
static inline nacre_status nacre_state_find(nacre_state *state, const char *name, uint32_t *out_index) {
  return state->functions->find(state, name, out_index);
}

/** Copies a tensor of the state to `data`. NACRE_BAD_ARGUMENT: no such tensor, or `bytes` are not its bytes. */
static inline nacre_status nacre_state_read(nacre_state *state, uint32_t index, void *data, size_t bytes) {
  return state->functions->copy(state, index, data, bytes, 0);
}

/** Makes a tensor of the state what `data` holds, for the next run. As nacre_state_read. */
static inline nacre_status nacre_state_write(nacre_state *state, uint32_t index, const void *data, size_t bytes) {
  return state->functions->copy(state, index, (void *)data, bytes, 1);
}

/**
 * Makes all tensors of these roles, bits of nacre_state_role or NACRE_STATE_ALL, what they were at first: another
 * sequence begins. Never fails.
 */
static inline nacre_status nacre_state_reset(nacre_state *state, uint32_t roles) {
  return state->functions->reset(state, roles);
}

/** Why the latest failing call on this state failed; "" where none has. Valid until the next call. */
static inline const char *nacre_state_reason(const nacre_state *state) { return state->functions->reason(state); }

#ifdef __cplusplus
}
#endif

#endif /* NACRE_STATE_H */
