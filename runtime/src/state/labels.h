// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nacre_session_run of models with variables.
// Why: see labels.cpp.
// How: in the table of functions in place of session_run.

#ifndef NACRE_RUNTIME_SRC_STATE_LABELS_H
#define NACRE_RUNTIME_SRC_STATE_LABELS_H

#include "runtime/include/nacre/runtime.h"

namespace nacre::runtime {

/// As session_run, but for labels that are no classes: NACRE_BAD_ARGUMENT, and nothing of the state has changed.
nacre_status run_with_labels(nacre_session *);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_LABELS_H
