/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The state that a model keeps between runs: reset, read, write, share, save and load it. nacre/runtime.h includes this.
 *
 *   nacre_session_state     the state that a session uses
 *   nacre_state_create      a state that several sessions of a model share: one trains, another serves from a copy
 *   nacre_state_save        save to a file, atomically; nacre_state_load: load from a file
 *
 * Threads: One run or one of these calls can use a state at a time. A second one returns NACRE_BAD_ARGUMENT and
 *          changes nothing; wait for the first, or work on a copy.
 * Files:   safetensors, little endian. Tensors have the names, shapes and layout of the model, however they are stored in
 *          memory; an optimizer's values for weight w are called w#momentum, w#m, w#v. The metadata hold the step, a
 *          CRC-32C of header and data, and a fingerprint of names, types, shapes and roles. A file does not depend on the
 *          target: it can be moved between devices and between compilations of a model. A loss scale (#loss_scale) is
 *          optional: a library trains on from a file without one, and ignores one that it does not need.
 *
 * Memory, errors and units are as in nacre/runtime.h.
 */
#ifndef NACRE_STATE_H
#define NACRE_STATE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The state that a model keeps between runs. The fields after the head are private to the runtime. */
struct nacre_state {
  const nacre_state_functions *functions;
};

/** The table of the functions below; it grows like nacre_functions. */
struct nacre_state_functions {
  uint32_t struct_size;
  nacre_status (*of_session)(nacre_session *, nacre_state **);
  nacre_status (*describe)(const nacre_model *, uint32_t index, size_t info_size, nacre_state_info *);
  nacre_status (*find)(nacre_state *, const char *name, uint32_t *);
  /** Reads into `data`, or writes from it if `writes` is not 0. */
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
 * Returns the state that the session uses: the one of its options, or its own, which lives as long as the session.
 * Initially, tensors are zeros or have the model's initial values. A run reads their values when it begins, and the new
 * values are complete when it ends; a run that fails leaves them unchanged. NACRE_BAD_ARGUMENT: `out_state` is NULL.
 */
static inline nacre_status nacre_session_state(nacre_session *session, nacre_state **out_state) {
  return out_state ? session->functions->state->of_session(session, out_state) : NACRE_BAD_ARGUMENT;
}

/**
 * Creates a state that sessions of this model can share through the option `state`. It uses the options `allocator`,
 * `weights`, `log` and `reason`, and checks options like nacre_session_create; options may be NULL. Cost: one allocation.
 * NACRE_BAD_ARGUMENT: the model has no state. Other failures: as for nacre_session_create.
 */
static inline nacre_status nacre_state_create(const nacre_model *model, const nacre_session_options *options,
                                              nacre_state **out_state) {
  if (model->functions->api_version < NACRE_OLDEST_API_VERSION)
    return NACRE_UNSUPPORTED; /* its table ends before this call */
  if (!out_state)
    return NACRE_BAD_ARGUMENT;
  return model->functions->state->create(model, nacre_asked_version(model, options), options, out_state);
}

/** Frees a state of nacre_state_create that no session uses any more. NULL is allowed. */
static inline void nacre_state_destroy(nacre_state *state) {
  if (state)
    state->functions->destroy(state);
}

/** Describes tensor number `index` of the model's state. NACRE_BAD_ARGUMENT: no such tensor. */
static inline nacre_status nacre_state_describe(const nacre_model *model, uint32_t index, nacre_state_info *out_info) {
  return out_info ? model->functions->state->describe(model, index, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
}

/** Finds the number of the tensor called `name`. NACRE_BAD_ARGUMENT: no such tensor. */
static inline nacre_status nacre_state_find(nacre_state *state, const char *name, uint32_t *out_index) {
  return name && out_index ? state->functions->find(state, name, out_index) : NACRE_BAD_ARGUMENT;
}

/** Copies a tensor of the state to `data`. NACRE_BAD_ARGUMENT: no such tensor, or `bytes` is not its size. */
static inline nacre_status nacre_state_read(nacre_state *state, uint32_t index, void *data, size_t bytes) {
  return data || !bytes ? state->functions->copy(state, index, data, bytes, 0) : NACRE_BAD_ARGUMENT;
}

/** Sets a tensor of the state to `data`, for the next run. Fails like nacre_state_read. */
static inline nacre_status nacre_state_write(nacre_state *state, uint32_t index, const void *data, size_t bytes) {
  return data || !bytes ? state->functions->copy(state, index, (void *)data, bytes, 1) : NACRE_BAD_ARGUMENT;
}

/**
 * Resets all tensors of these roles, bits of nacre_state_role or NACRE_STATE_ALL, to their initial values: to begin
 * another sequence, or to restart training. NACRE_BAD_ARGUMENT: another run or call is using the state.
 */
static inline nacre_status nacre_state_reset(nacre_state *state, uint32_t roles) {
  return state->functions->reset(state, roles);
}

/** Copies one state to another. NACRE_BAD_ARGUMENT: they belong to different models; `to` has the reason. */
static inline nacre_status nacre_state_copy(nacre_state *from, nacre_state *to) {
  return to->functions->copy_all(from, to);
}

/**
 * Saves the tensors of these roles to a file. The file is written completely to disk and then replaces `path`
 * atomically: even after a crash, or if several threads and processes save to it, `path` is one complete file. The last
 * saver wins. The new file keeps the permissions of the old one and belongs to the user who saves. If `path` is a
 * symbolic link, the link remains and its target is replaced. A folder, pipe, socket or device is refused. The
 * temporary file is called `path`.new-N, with a number N that no other saver uses and at most 200 bytes of the old
 * name; for a symbolic link, it is next to the link's target. It is removed after an error, but remains if the process
 * is killed: remove such files while no process is saving.
 * The values are not checked. The loss of a step is computed with the weights before its update. So after training, read
 * the weights and check that they are finite before you replace a good file.
 * Cost: one allocation of 17 KiB, for paths, and the size of the header or of the largest tensor whose layout in memory
 * differs from the model's.
 * NACRE_BAD_ARGUMENT: the model has no tensor of these roles.
 * NACRE_OUT_OF_MEMORY. NACRE_FAILED: the file could not be written. The state remains usable.
 */
static inline nacre_status nacre_state_save(nacre_state *state, const char *path, uint32_t roles) {
  return state->functions->save(state, path, roles);
}

/**
 * Loads the tensors of these roles from a safetensors file, written by nacre_state_save or another program. The file must
 * have all of them and no tensor that the model lacks, and its fingerprint, if it has one, must match the model. If `roles`
 * has only NACRE_STATE_WEIGHT and NACRE_STATE_STATISTIC, tensors may be missing and the fingerprint may differ: weights
 * load into every model that has their names. Everything is checked before a byte changes. Cost: one allocation of the
 * file's size. A file larger than 8 MiB plus eight times the state's size is refused, and so is any file that is not
 * regular.
 * NACRE_BAD_ARGUMENT: the file is damaged, or does not fit the model. NACRE_OUT_OF_MEMORY.
 * NACRE_FAILED: the file could not be read. The state remains usable.
 */
static inline nacre_status nacre_state_load(nacre_state *state, const char *path, uint32_t roles) {
  return state->functions->load(state, path, roles);
}

/** Returns the cause of the latest failure on this state; "" if no call failed. Valid until the next call. */
static inline const char *nacre_state_reason(const nacre_state *state) { return state->functions->reason(state); }

#ifdef __cplusplus
}
#endif

#endif /* NACRE_STATE_H */
