// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre-tune with --device=adb.
// Why:   nobody has to build a program for a phone to measure it.
// How:   nacre-try and the kernels compiled for the phone go into a folder of it; nacre-try measures, and what it wrote
//        is fetched. The profile is made here.

#ifndef NACRE_TOOLS_TUNE_PHONEFIGURES_H
#define NACRE_TOOLS_TUNE_PHONEFIGURES_H

#include "tools/measure/DeviceFigures.h"
#include "tools/tune/Options.h"

namespace nacre::tune {

/// Measures a phone. If any GPU would do, it may be missing: `reasonOfGpu` says why.
tools::Outcome measurePhone(const Options &options, measure::DeviceFigures &figures, std::string &reasonOfGpu);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_PHONEFIGURES_H
