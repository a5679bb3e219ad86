// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  trains a model on files of examples.
// Why:   a network is trained on a workstation, or tried there before a phone trains it, without a line of code.
// How:   see Trainer.cpp.

#ifndef NACRE_TOOLS_RUN_TRAINING_TRAINER_H
#define NACRE_TOOLS_RUN_TRAINING_TRAINER_H

#include "tools/run/session/Options.h"

namespace nacre::run {

Outcome train(const nacre_model *model, const Options &options);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_TRAINER_H
