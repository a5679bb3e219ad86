// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the page of --report, which shows measured times next to the compiler's report. It runs nacre-report, because
// nacre-run is built without LLVM.

#ifndef NACRE_TOOLS_RUN_PROGRAMS_REPORT_H
#define NACRE_TOOLS_RUN_PROGRAMS_REPORT_H

#include "tools/run/session/Options.h"

namespace nacre::run {

/// Writes the page of the options' report with a profile, and prints its path.
Outcome makeReport(const Options &options, const std::string &profile);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PROGRAMS_REPORT_H
