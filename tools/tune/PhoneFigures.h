// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures a phone, nacre-tune with --device=adb, without building a program for it. nacre-try and the kernels compiled
// for the phone are copied to a folder of the phone. nacre-try measures, and its results are fetched. The profile is
// made here.

#ifndef NACRE_TOOLS_TUNE_PHONEFIGURES_H
#define NACRE_TOOLS_TUNE_PHONEFIGURES_H

#include "tools/measure/DeviceFigures.h"
#include "tools/tune/Options.h"

namespace nacre::tune {

/// Measures a phone. Unless a certain GPU was requested, there may be none: `reasonOfGpu` is then the reason.
tools::Outcome measurePhone(const Options &options, measure::DeviceFigures &figures, std::string &reasonOfGpu);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_PHONEFIGURES_H
