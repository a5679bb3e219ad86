// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the time of a run goes, launch by launch, under the model's node names.
// Why:   the first question about a slow model.
// How:   the runtime's launch times over several runs, as a table and as a Chrome trace.

#ifndef NACRE_TOOLS_RUN_PROFILE_H
#define NACRE_TOOLS_RUN_PROFILE_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// One line: what the GPU and the CPU beside it did in the latest run. Nothing where the CPU alone computes.
Outcome printEngines(ModelSession &session);

/// The table of --profile, and the file of --trace, whichever is asked for.
Outcome profile(ModelSession &session, const Options &options, const std::string &buildId);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PROFILE_H
