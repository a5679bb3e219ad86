/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What a model remembers from run to run: to reset, read, write, share, save and load. nacre/runtime.h includes this.
 *
 *   nacre_session_state     the state that a session works on
 *   nacre_state_create      one that several sessions of a model share: one trains it, another serves from a copy
 *   nacre_state_save        to a file, whole or not at all; nacre_state_load: from one
 *
 * Threads: a state is in one run or one of these calls at a time. A second one is refused with NACRE_BAD_ARGUMENT and
 *          changes nothing; an app that meets this waits for the first, or works on a copy.
 * Files:   safetensors, little endian: tensors under their names in the model, in its layout and orientation, whatever
 *          they are stored as; what an optimizer keeps of weight w is w#momentum, w#m, w#v. The metadata have the step,
 *          a CRC-32C of header and data, and a fingerprint of names, types, shapes and roles. A file has nothing of a target:
 *          it moves between devices, and from one compilation of a model to the next.
 *
 * Memory, errors and units are as in nacre/runtime.h.
 */
#ifndef NACRE_STATE_H
#define NACRE_STATE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a model remembers from run to run. What follows the head is the runtime's. */
struct nacre_state {
  const nacre_state_functions *functions;
};

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
  nacre_status (*create)(const nacre_model *, uint32_t api_version, const nacre_session_options *, nacre_state **);
  void (*destroy)(nacre_state *);
  nacre_status (*copy_all)(nacre_state *from, nacre_state *to);
  nacre_status (*save)(nacre_state *, const char *path, uint32_t roles);
  nacre_status (*load)(nacre_state *, const char *path, uint32_t roles);
};

/**
 * The state that the session works on: that of its options, or its own, which lives as long as it. At first its tensors
 * are zeros, or what the model says. A run reads what they are when it begins, and what it makes of them is there when
 * it ends; a run that fails leaves them as they were. NACRE_BAD_ARGUMENT: `out_state` is NULL; nothing else fails.
 */
static inline nacre_status nacre_session_state(nacre_session *session, nacre_state **out_state) {
  return out_state ? session->functions->state->of_session(session, out_state) : NACRE_BAD_ARGUMENT;
}

/**
 * Makes a state for sessions of this model to share: by the options' `state`. Of the options it takes what creates of
 * sessions refuse too, and `allocator`, `weights`, `log` and `reason`; they may be NULL. Cost: one allocation.
 * NACRE_BAD_ARGUMENT: the model has no state; else as nacre_session_create.
 */
static inline nacre_status nacre_state_create(const nacre_model *model, const nacre_session_options *options,
                                              nacre_state **out_state) {
  if (model->functions->api_version < NACRE_OLDEST_API_VERSION)
    return NACRE_UNSUPPORTED; /* its table ends before this call */
  if (!out_state)
    return NACRE_BAD_ARGUMENT;
  return model->functions->state->create(model, nacre_asked_version(model, options), options, out_state);
}

/** Returns the memory of a state that nacre_state_create made, and that no session has any more. NULL is allowed. */
static inline void nacre_state_destroy(nacre_state *state) {
  if (state)
    state->functions->destroy(state);
}

/** Describes one tensor of the state that a model's sessions have. NACRE_BAD_ARGUMENT: there are fewer. */
static inline nacre_status nacre_state_describe(const nacre_model *model, uint32_t index, nacre_state_info *out_info) {
  return out_info ? model->functions->state->describe(model, index, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
}

/** The number of the tensor of that name. NACRE_BAD_ARGUMENT: there is none. */
static inline nacre_status nacre_state_find(nacre_state *state, const char *name, uint32_t *out_index) {
  return name && out_index ? state->functions->find(state, name, out_index) : NACRE_BAD_ARGUMENT;
}

/** Copies a tensor of the state to `data`. NACRE_BAD_ARGUMENT: no such tensor, or `bytes` are not its bytes. */
static inline nacre_status nacre_state_read(nacre_state *state, uint32_t index, void *data, size_t bytes) {
  return data || !bytes ? state->functions->copy(state, index, data, bytes, 0) : NACRE_BAD_ARGUMENT;
}

/** Makes a tensor of the state what `data` holds, for the next run. As nacre_state_read. */
static inline nacre_status nacre_state_write(nacre_state *state, uint32_t index, const void *data, size_t bytes) {
  return data || !bytes ? state->functions->copy(state, index, (void *)data, bytes, 1) : NACRE_BAD_ARGUMENT;
}

/**
 * Makes all tensors of these roles, bits of nacre_state_role or NACRE_STATE_ALL, what they were at first: another
 * sequence begins, or training from the beginning. NACRE_BAD_ARGUMENT: another run or call has the state.
 */
static inline nacre_status nacre_state_reset(nacre_state *state, uint32_t roles) {
  return state->functions->reset(state, roles);
}

/** Makes all of one state what another is. NACRE_BAD_ARGUMENT: they are of different models; `to` says so. */
static inline nacre_status nacre_state_copy(nacre_state *from, nacre_state *to) {
  return to->functions->copy_all(from, to);
}

/**
 * Saves the tensors of these roles. A file of that name is replaced in one step, when the new one is safe on its disk:
 * whatever happens on the way, and however many threads and processes save to it, the name opens one whole file. The last
 * to end wins. The new file keeps the permissions of the old one and belongs to the user who saves. If the name is a
 * symbolic link, the link stays and the file that it leads to is replaced. A folder, a pipe, a socket or a device of that
 * name is refused. Until it takes the name, the new file is called `path`.new-N, with a number N that no other saver has;
 * behind a symbolic link it lies beside the file that the link leads to. It is removed after an error, but stays if the
 * process is killed: remove such files when nobody saves.
 * The values are not checked. The loss of a step is that of the weights before its update, so after training, read the
 * weights and check that they are finite before you replace a good file.
 * Cost: 16 KiB of stack for paths, and one allocation of the header, or of the largest tensor that is stored otherwise
 * than in the model.
 * NACRE_BAD_ARGUMENT: there is no tensor of these roles.
 * NACRE_OUT_OF_MEMORY. NACRE_FAILED: the file could not be written; the state can be used as before.
 */
static inline nacre_status nacre_state_save(nacre_state *state, const char *path, uint32_t roles) {
  return state->functions->save(state, path, roles);
}

/**
 * Loads the tensors of these roles from a file, of nacre_state_save or of others who write safetensors. It must have all
 * of them, and no tensor that the model lacks; and the fingerprint, where it has one, must be the model's. Of
 * NACRE_STATE_WEIGHT and NACRE_STATE_STATISTIC alone it may have only some, whatever else the fingerprint is of: weights
 * load into every model that has their names. All is checked before a byte changes. Cost: one allocation of the file's
 * size; one of more than eight times the state's size and 8 MiB is refused, and so is what is no regular file.
 * NACRE_BAD_ARGUMENT: the file is damaged, or does not fit the model. NACRE_OUT_OF_MEMORY.
 * NACRE_FAILED: the file could not be read; the state can be used as before.
 */
static inline nacre_status nacre_state_load(nacre_state *state, const char *path, uint32_t roles) {
  return state->functions->load(state, path, roles);
}

/** Why the latest failing call on this state failed; "" where none has. Valid until the next call. */
static inline const char *nacre_state_reason(const nacre_state *state) { return state->functions->reason(state); }

#ifdef __cplusplus
}
#endif

#endif /* NACRE_STATE_H */
