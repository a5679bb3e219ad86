// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the figures that nacre-try wrote on a phone.

#ifndef NACRE_TOOLS_TUNE_FIGUREREADER_H
#define NACRE_TOOLS_TUNE_FIGUREREADER_H

#include "tools/measure/DeviceFigures.h"

#include <string>
#include <string_view>

namespace nacre::tune {

/// Parses the text that measure::putFigures() wrote. If it has no figures of a GPU, sets `reasonOfGpu`. Returns false
/// if the text is incomplete.
bool readFigures(std::string_view text, measure::DeviceFigures &figures, std::string &reasonOfGpu);

} // namespace nacre::tune

#endif // NACRE_TOOLS_TUNE_FIGUREREADER_H
