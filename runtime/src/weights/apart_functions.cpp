// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions of models without variables whose weights are in a file.
// Why:   from this table and that of models with variables, and from nowhere else, the code for such files is reached.
// How:   see runtime/src/functions.h.

#include "runtime/src/functions.h"
#include "runtime/src/weights/weights_file.h"

constexpr nacre_functions nacre_runtime_apart_functions = nacre::runtime::functions_with(
    nacre::runtime::no_state.calls, nacre::runtime::session_run, &nacre::runtime::weights_files);
