// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions that models without variables point to.
// Why:   it is the one name the compiler's table object refers to; all else in the archive is reached from here.
// How:   see functions.h.

#include "runtime/src/functions.h"

constexpr nacre_functions nacre_runtime_functions =
    nacre::runtime::functions_with(nacre::runtime::no_state.calls, nacre::runtime::session_run);
