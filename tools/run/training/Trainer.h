// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a model on files of examples. So users can train a network on a workstation without writing code, for example
// before a phone trains it.

#ifndef NACRE_TOOLS_RUN_TRAINING_TRAINER_H
#define NACRE_TOOLS_RUN_TRAINING_TRAINER_H

#include "tools/run/session/Options.h"

namespace nacre::run {

Outcome train(const nacre_model *model, const Options &options);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_TRAINER_H
