// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function nacre_session_run for models with variables, which replaces session_run in their table of functions.
// labels.cpp says why.

#ifndef NACRE_RUNTIME_SRC_STATE_LABELS_H
#define NACRE_RUNTIME_SRC_STATE_LABELS_H

#include "runtime/include/nacre/runtime.h"

namespace nacre::runtime {

/// Runs as session_run does, but first checks labels. For an unknown class it returns NACRE_BAD_ARGUMENT and leaves the
/// state unchanged.
nacre_status run_with_labels(nacre_session *);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_LABELS_H
