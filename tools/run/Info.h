// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a description of a model: inputs, outputs, memory, launches, and the GPUs of this machine. An app's author
// needs this description first, and `--info` prints it. It comes from the runtime, and is also written to a file
// (InfoFile.h).

#ifndef NACRE_TOOLS_RUN_INFO_H
#define NACRE_TOOLS_RUN_INFO_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Prints the description. Also writes it as JSON to `file`, unless `file` is empty.
Outcome printInfo(const ModelSession &session, const std::string &symbol, size_t codeBytes, const std::string &file);

/// Prints the GPUs of this machine, with the runtime's description of each.
Outcome printDevices();

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_INFO_H
