// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  prints what a model is: inputs, outputs, memory, launches; and which GPUs it finds.
// Why:   `--info` answers what one must know before writing a line of app code.
// How:   the runtime's descriptions, as text and in a file (InfoFile.h).

#ifndef NACRE_TOOLS_RUN_INFO_H
#define NACRE_TOOLS_RUN_INFO_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Also writes JSON to `file`, unless that is empty.
Outcome printInfo(const ModelSession &session, const std::string &symbol, size_t codeBytes, const std::string &file);

/// Prints the GPUs of this machine, as the runtime sees them.
Outcome printDevices();

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_INFO_H
