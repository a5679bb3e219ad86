// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions that models of this runtime point to, but for what is of states.
// Why:   a model links what its table names; there are four, of models with and without variables, and with their weights
//        inside or in a file.
// How:   in the order of nacre_functions, which only ever grows at its end.

#ifndef NACRE_RUNTIME_SRC_FUNCTIONS_H
#define NACRE_RUNTIME_SRC_FUNCTIONS_H

#include "runtime/src/describe.h"
#include "runtime/src/session.h"

namespace nacre::runtime {

/// `weights`: null for models with their weights inside.
constexpr nacre_functions functions_with(const nacre_state_functions &state, nacre_status (*run)(nacre_session *),
                                         const nacre_weights_functions *weights = nullptr) {
  return {
      sizeof(nacre_functions),
      NACRE_API_VERSION,
      model_describe,
      entry_describe,
      input_describe,
      output_describe,
      launch_describe,
      session_memory,
      session_create,
      session_destroy,
      session_input,
      session_output,
      session_find_input,
      session_find_output,
      session_bind_input,
      session_bind_output,
      run,
      session_launch_time,
      session_reason,
      executor_create,
      executor_destroy,
      session_describe,
      device_describe,
      session_output_dims,
      &state,
      session_cancel,
      weights,
  };
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_FUNCTIONS_H
