/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Describes models and GPUs: calls that fill in the structures of info.h. nacre/runtime.h includes this.
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

#ifdef __cplusplus
}
#endif

#endif /* NACRE_DESCRIBE_H */
