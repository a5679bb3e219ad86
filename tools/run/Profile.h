// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the time of a run, launch by launch, with the model's node names. It prints the runtime's launch times over
// several runs as a table, and writes them as a Chrome trace.

#ifndef NACRE_TOOLS_RUN_PROFILE_H
#define NACRE_TOOLS_RUN_PROFILE_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Prints a line about the work of the GPU and of the CPU in the latest run. Prints nothing if only the CPU computes.
Outcome printEngines(ModelSession &session);

/// Prints the table of --profile, and writes the file of --trace, as requested.
Outcome profile(ModelSession &session, const Options &options, const std::string &buildId);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PROFILE_H
