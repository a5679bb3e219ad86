// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions that every model of this runtime points to.
// Why:   it is the one name the compiler's table object refers to; all else in the archive is reached from here.
// How:   in the order of nacre_functions, which only ever grows at its end.

#include "runtime/src/describe.h"
#include "runtime/src/session.h"

using namespace nacre::runtime;

const nacre_functions nacre_runtime_functions = {
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
    session_run,
    session_launch_time,
    session_reason,
    executor_create,
    executor_destroy,
    session_describe,
    device_describe,
    session_output_dims,
    &nacre_runtime_state_functions,
};
