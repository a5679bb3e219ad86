// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a description of a model: inputs, outputs, memory, launches, and the GPUs of this machine. `--info` shows what
// an app's author must know first. The runtime's description is printed as text and written to a file (InfoFile.h).

#ifndef NACRE_TOOLS_RUN_INFO_H
#define NACRE_TOOLS_RUN_INFO_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Prints the description. Also writes JSON to `file`, unless that is empty.
Outcome printInfo(const ModelSession &session, const std::string &symbol, size_t codeBytes, const std::string &file);

/// Prints the GPUs of this machine, as the runtime sees them.
Outcome printDevices();

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_INFO_H
