// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of a trained model.

#ifndef NACRE_TOOLS_RUN_TRAINING_ENTRIES_H
#define NACRE_TOOLS_RUN_TRAINING_ENTRIES_H

#include "tools/run/session/Options.h"

namespace nacre::run {

bool hasEntry(const nacre_model *model, const char *name);

/// Returns the error for a model that lacks the entry `name`.
Outcome refuseEntry(const nacre_model *model, const std::string &name);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_ENTRIES_H
