// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures a phone (nacre-tune --device=adb). nacre-try and kernels that are compiled for the phone are copied to a
// folder of the phone. nacre-try measures there, and its results are fetched. This machine makes the profile.

#ifndef NACRE_TOOLS_TUNE_PHONEFIGURES_H
#define NACRE_TOOLS_TUNE_PHONEFIGURES_H

#include "tools/measure/DeviceFigures.h"
#include "tools/tune/Options.h"

namespace nacre::tune {

/// Measures a phone. If its GPU cannot be measured and no certain GPU was requested, sets `reasonOfGpu` and succeeds.
tools::Outcome measurePhone(const Options &options, measure::DeviceFigures &figures, std::string &reasonOfGpu);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_PHONEFIGURES_H
