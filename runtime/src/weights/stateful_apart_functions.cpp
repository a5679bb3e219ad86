// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions of models with variables whose weights are in a file.
// Why:   from this table and that of models without variables, and from nowhere else, the code for such files is reached.
// How:   see runtime/src/functions.h.

#include "runtime/src/functions.h"
#include "runtime/src/state/labels.h"
#include "runtime/src/weights/weights_file.h"

constexpr nacre_functions nacre_runtime_stateful_apart_functions = nacre::runtime::functions_with(
    nacre::runtime::stateful.calls, nacre::runtime::run_with_labels, &nacre::runtime::weights_files);
