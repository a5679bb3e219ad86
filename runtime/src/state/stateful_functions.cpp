// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions that models with variables point to.
// Why:   from here, and from nowhere else, all that is of states is reached.
// How:   see runtime/src/functions.h.

#include "runtime/src/functions.h"
#include "runtime/src/state/labels.h"

constexpr nacre_functions nacre_runtime_stateful_functions =
    nacre::runtime::functions_with(nacre::runtime::stateful.calls, nacre::runtime::run_with_labels);
