/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What:  both public headers as pedantic C99; the same text is compiled as C++17 too.
 * Why:   apps include them with whatever warnings they like.
 * How:   compiling is the test; every inline function is named, so that none goes unseen.
 */
#include "nacre/runtime.h"

#include "nacre/weights_format.h"

nacre_status use_header(const nacre_model *model, nacre_session *session, nacre_executor *executor);
extern const nacre_row_sizes header_row_sizes;

nacre_status use_header(const nacre_model *model, nacre_session *session, nacre_executor *executor) {
  nacre_session_options options = nacre_session_options_default();
  nacre_memory_info memory;
  nacre_model_info model_info;
  nacre_entry_info entry_info;
  nacre_tensor_info tensor_info;
  nacre_launch_info launch_info;
  nacre_launch_time launch_time;
  nacre_session_info session_info;
  nacre_device_info device_info;
  nacre_weights weights;
  char reason[256];
  uint32_t index = 0;
  void *data = NULL;
  int64_t dims[8];
  nacre_status status = nacre_session_memory(model, &options, &memory);
  if (nacre_session_create(model, &options, &session) != NACRE_OK || nacre_session_reason(session)[0])
    return status;
  status = nacre_session_input(session, index, &data);
  status = nacre_session_output(session, index, &data);
  status = nacre_session_find_input(session, "x", &index);
  status = nacre_session_find_output(session, "y", &index);
  status = nacre_session_input_named(session, "x", &data);
  status = nacre_session_output_named(session, "y", &data);
  status = nacre_session_bind_input(session, index, data);
  status = nacre_session_bind_output(session, index, data);
  status = nacre_session_run(session);
  status = nacre_session_cancel(session);
  status = nacre_entry_find(model, "main", &index);
  status = nacre_session_use(session, index);
  status = nacre_session_output_dims(session, index, dims);
  status = nacre_session_launch_time(session, index, &launch_time);
  status = nacre_session_describe(session, &session_info);
  nacre_session_destroy(session);
  if (!nacre_weights_are_apart(model))
    return status;
  status = nacre_weights_open(model, "toy.weights", &weights, reason, sizeof(reason));
  status = nacre_weights_check(model, weights.data, weights.bytes, reason, sizeof(reason));
  nacre_weights_close(model, &weights);
  options.gpu_cut = NACRE_GPU_CUT(50);
  status = nacre_device_describe(model, 0, &device_info);
  status = nacre_executor_create(model, 2, NULL, &executor);
  nacre_executor_destroy(model, executor);
  status = nacre_model_describe(model, &model_info);
  status = nacre_entry_describe(model, 0, &entry_info);
  status = nacre_input_describe(model, 0, 0, &tensor_info);
  status = nacre_output_describe(model, 0, 0, &tensor_info);
  status = nacre_launch_describe(model, 0, 0, &launch_info);
  return nacre_status_text(status)[0] ? status : NACRE_FAILED;
}

const nacre_row_sizes header_row_sizes = NACRE_ROW_SIZES;
