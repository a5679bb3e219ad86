// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a profile as JSON (docs/profile.schema.json).
// Why:   nacre-report sets it beside what the compiler said of the same launches.
// How:   whole nanoseconds, so that sums are the same wherever they are taken.

#ifndef NACRE_TOOLS_RUN_PROFILEFILE_H
#define NACRE_TOOLS_RUN_PROFILEFILE_H

#include "tools/run/Benchmark.h"
#include "tools/run/session/ModelSession.h"
#include "tools/tune/Measure.h"
#include <cstdint>
#include <vector>

namespace nacre::run {

/// Times of a launch over all runs.
struct LaunchProfile {
  nacre_launch_info info{};
  nacre_launch_time latest{};
  Samples samples{};   ///< The total of each run.
  uint64_t median = 0; ///< Of the samples, once all runs are done.
};

/// Of the runs that were measured.
struct RunsProfile {
  uint64_t runs = 0;
  uint64_t least = 0, median = 0; ///< Of a whole run, nanoseconds.
};

/// The profile of a session's runs. `buildId` is the library's, or empty; `device` is the GPU's name, or empty.
std::string profileJson(const ModelSession &session, const std::string &buildId, const char *device,
                        const RunsProfile &runs, const tune::MachinePeak &machine,
                        const std::vector<LaunchProfile> &launches);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PROFILEFILE_H
