// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a device profile from a base profile by replacing its figures with measured ones.

#ifndef NACRE_TOOLS_TUNE_PROFILE_H
#define NACRE_TOOLS_TUNE_PROFILE_H

#include "tools/measure/DeviceFigures.h"

#include <string>

namespace nacre::tune {

/// Replaces the CPU's figures. Returns false if the profile has no member "cpu".
bool setCpu(std::string &profile, const measure::CpuFigures &figures);

/// Replaces the figures of the GPU and its latencies. Returns the problem with the base, or "".
std::string setGpu(std::string &profile, const measure::GpuFigures &figures);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_PROFILE_H
