/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Describes models, sessions and GPUs: calls that fill in the structures of info.h. nacre/runtime.h includes this.
 *
 * Memory, threads and errors are as in nacre/runtime.h.
 */
#ifndef NACRE_DESCRIBE_H
#define NACRE_DESCRIBE_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Describes the model. */
static inline nacre_status nacre_model_describe(const nacre_model *model, nacre_model_info *out_info) {
  return out_info ? model->functions->model_describe(model, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
}

/** Describes entry number `entry`. NACRE_BAD_ARGUMENT: no such entry. */
static inline nacre_status nacre_entry_describe(const nacre_model *model, uint32_t entry, nacre_entry_info *out_info) {
  return out_info ? model->functions->entry_describe(model, entry, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
}

/** Finds the number of the entry called `name`. NACRE_BAD_ARGUMENT: no such entry. */
static inline nacre_status nacre_entry_find(const nacre_model *model, const char *name, uint32_t *out_entry) {
  nacre_entry_info info;
  uint32_t entry;
  for (entry = 0; name && out_entry && nacre_entry_describe(model, entry, &info) == NACRE_OK; ++entry) {
    size_t i = 0;
    while (name[i] && name[i] == info.name[i])
      ++i;
    if (name[i] == info.name[i]) {
      *out_entry = entry;
      return NACRE_OK;
    }
  }
  return NACRE_BAD_ARGUMENT;
}

/** Describes one input of an entry. NACRE_BAD_ARGUMENT: no such entry or input. */
static inline nacre_status nacre_input_describe(const nacre_model *model, uint32_t entry, uint32_t index,
                                                nacre_tensor_info *out_info) {
  return out_info ? model->functions->input_describe(model, entry, index, sizeof(*out_info), out_info)
                  : NACRE_BAD_ARGUMENT;
}

/** Describes one output of an entry. NACRE_BAD_ARGUMENT: no such entry or output. */
static inline nacre_status nacre_output_describe(const nacre_model *model, uint32_t entry, uint32_t index,
                                                 nacre_tensor_info *out_info) {
  return out_info ? model->functions->output_describe(model, entry, index, sizeof(*out_info), out_info)
                  : NACRE_BAD_ARGUMENT;
}

/**
 * Finds the smallest entry for an input of a shape, among those that nacre-compile made of several shapes (--shape). These
 * are called `main@16`, `main@64`; `name` selects them by the part before the `@`. NULL: that of the first entry. An entry
 * is large enough if its input called `input` (NULL: input 0) has `rank` axes, each of at least the size in `dims`. The
 * smallest one has the fewest elements there. Its other inputs are not compared. If its shape differs from `dims`, the app
 * fills the rest, with zeros and a mask if the model has one; nothing is filled silently.
 * NACRE_BAD_ARGUMENT: no entry is large enough.
 */
static inline nacre_status nacre_entry_for(const nacre_model *model, const char *name, const char *input, uint32_t rank,
                                           const int64_t *dims, uint32_t *out_entry) {
  nacre_entry_info info;
  uint64_t least = UINT64_MAX;
  uint32_t entry;
  if (!dims && rank)
    return NACRE_BAD_ARGUMENT;
  for (entry = 0; out_entry && nacre_entry_describe(model, entry, &info) == NACRE_OK; ++entry) {
    nacre_tensor_info tensor;
    uint64_t elements = 1;
    uint32_t index = 0, axis = 0;
    size_t i = 0;
    if (!name)
      name = info.name;
    while (name[i] && name[i] != '@' && name[i] == info.name[i])
      ++i;
    if ((name[i] && name[i] != '@') || (info.name[i] && info.name[i] != '@'))
      continue;
    for (; nacre_input_describe(model, entry, index, &tensor) == NACRE_OK; ++index) {
      for (i = 0; input && input[i] && input[i] == tensor.name[i];)
        ++i;
      if (!input || input[i] == tensor.name[i])
        break;
    }
    if (index == info.input_count || tensor.rank != rank)
      continue;
    while (axis < rank && tensor.dims[axis] >= dims[axis])
      elements *= (uint64_t)tensor.dims[axis++];
    if (axis == rank && elements < least) {
      least = elements;
      *out_entry = entry;
    }
  }
  return least == UINT64_MAX ? NACRE_BAD_ARGUMENT : NACRE_OK;
}

/**
 * Describes GPU number `index` of this machine, counted from 0. Cost: Vulkan is loaded for the call.
 * NACRE_BAD_ARGUMENT: no such GPU. NACRE_UNSUPPORTED: this model can use no GPU here; the report gives the reason.
 */
static inline nacre_status nacre_device_describe(const nacre_model *model, uint32_t index,
                                                 nacre_device_info *out_info) {
  return out_info ? model->functions->device_describe(model, index, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
}

/** Describes one launch of an entry, in the order of execution. NACRE_BAD_ARGUMENT: no such entry or launch. */
static inline nacre_status nacre_launch_describe(const nacre_model *model, uint32_t entry, uint32_t index,
                                                 nacre_launch_info *out_info) {
  return out_info ? model->functions->launch_describe(model, entry, index, sizeof(*out_info), out_info)
                  : NACRE_BAD_ARGUMENT;
}

/**
 * Copies the dimensions of output number `index` after the latest run to `out_dims`, which has room for its rank. They
 * equal those of nacre_output_describe, except along the axes in its open_axes: these sizes depend on the data, and dims
 * is their maximum. The layout does not change: element [i, j] has the same position as in an output of maximum size,
 * and elements after the end of an axis are undefined.
 * NACRE_BAD_ARGUMENT: no such output, or the size depends on the data and no run has finished.
 */
static inline nacre_status nacre_session_output_dims(nacre_session *session, uint32_t index, int64_t *out_dims) {
  return out_dims ? session->functions->session_output_dims(session, index, out_dims) : NACRE_BAD_ARGUMENT;
}

/**
 * Reports the times of launch number `index` in the latest run.
 * NACRE_BAD_ARGUMENT: no such launch, no run yet, or the session was created without `profile`.
 */
static inline nacre_status nacre_session_launch_time(nacre_session *session, uint32_t index,
                                                     nacre_launch_time *out_time) {
  return out_time ? session->functions->session_launch_time(session, index, sizeof(*out_time), out_time)
                  : NACRE_BAD_ARGUMENT;
}

/** Describes the engines, threads and GPU resources of the session. */
static inline nacre_status nacre_session_describe(nacre_session *session, nacre_session_info *out_info) {
  return out_info ? session->functions->session_describe(session, sizeof(*out_info), out_info) : NACRE_BAD_ARGUMENT;
}

#ifdef __cplusplus
}
#endif

#endif /* NACRE_DESCRIBE_H */
