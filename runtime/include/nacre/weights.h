/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Weights in a file of their own, which an app can replace without a new library. nacre/runtime.h includes this.
 *
 *   nacre-compile --weights-in=file   writes libmodel.so, and libmodel.weights next to it
 *   nacre_weights_open                maps the file, read-only, and checks it
 *   nacre_weights_check               checks a file that the app has brought into memory itself
 *   options.weights, weights_bytes    give sessions and states the weights
 *   nacre_weights_close               unmaps the file, after its last session and state
 *
 * Files:   A file has a hash of its contents, and a fingerprint of the layout that the library's kernels expect: another
 *          training of the same network, compiled with the same options, fits the library. The hash finds damage; it does
 *          not prove who made the file. A mapped file must not be changed or truncated: write a new one, then rename it.
 *
 * Memory, threads, errors and units are as in nacre/runtime.h. The file's pages are shared between processes, and the system
 * may drop and reload them. Nothing is allocated.
 */
#ifndef NACRE_WEIGHTS_H
#define NACRE_WEIGHTS_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A weights file in memory. */
typedef struct nacre_weights {
  const void *data; /**< The whole file, for options.weights. */
  size_t bytes;     /**< Its size, for options.weights_bytes. */
  uint64_t hash;    /**< Differs between files with other contents, so that an app can tell which one it has. */
} nacre_weights;

/** The table of the functions below; it grows like nacre_functions. */
struct nacre_weights_functions {
  uint32_t struct_size;
  nacre_status (*open)(const nacre_model *, const char *path, size_t weights_size, nacre_weights *, char *reason,
                       size_t reason_capacity);
  /** Checks the whole file if `reads_all` is not 0, else only its head. */
  nacre_status (*check)(const nacre_model *, const void *data, size_t bytes, uint32_t reads_all, char *reason,
                        size_t reason_capacity);
  void (*close)(const void *data, size_t bytes);
};

/** Returns whether the model was compiled with --weights-in=file; otherwise its library contains its weights. */
static inline int nacre_weights_are_apart(const nacre_model *model) {
  return model->functions->api_version >= 8 && model->functions->weights;
}

/**
 * Maps the weights file of a model and checks all of it. On failure, `reason` has the cause and advice; it may be
 * NULL, and `reason_capacity` is its size, including the final 0. Cost: the file is read once.
 * NACRE_BAD_ARGUMENT: the file is damaged, truncated or does not fit this library; keep the old one.
 * NACRE_FAILED: the file could not be read. NACRE_UNSUPPORTED: the model's library contains its weights.
 */
static inline nacre_status nacre_weights_open(const nacre_model *model, const char *path, nacre_weights *out_weights,
                                              char *reason, size_t reason_capacity) {
  if (!path || !out_weights)
    return NACRE_BAD_ARGUMENT;
  if (!nacre_weights_are_apart(model))
    return NACRE_UNSUPPORTED;
  return model->functions->weights->open(model, path, sizeof(*out_weights), out_weights, reason, reason_capacity);
}

/**
 * Checks a weights file in memory that the app has mapped or read itself, aligned to NACRE_ALIGNMENT. It can then be passed
 * as options.weights. NACRE_BAD_ARGUMENT, NACRE_UNSUPPORTED, `reason`: as for nacre_weights_open.
 */
static inline nacre_status nacre_weights_check(const nacre_model *model, const void *data, size_t bytes, char *reason,
                                               size_t reason_capacity) {
  if (!nacre_weights_are_apart(model))
    return NACRE_UNSUPPORTED;
  return model->functions->weights->check(model, data, bytes, 1, reason, reason_capacity);
}

/** Unmaps a file of nacre_weights_open that no session or state uses any more, and clears `weights`. May be called twice. */
static inline void nacre_weights_close(const nacre_model *model, nacre_weights *weights) {
  if (weights->data)
    model->functions->weights->close(weights->data, weights->bytes);
  weights->data = NULL;
  weights->bytes = 0;
}

#ifdef __cplusplus
}
#endif

#endif /* NACRE_WEIGHTS_H */
