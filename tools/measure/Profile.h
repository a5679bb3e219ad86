// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the time of a run, launch by launch, with the model's node names: as a table, and as JSON
// (docs/profile.schema.json). The time of a launch is its median over all runs, as in Python's profile. JSON contains
// whole nanoseconds, so that all programs compute the same sums.

#ifndef NACRE_TOOLS_MEASURE_PROFILE_H
#define NACRE_TOOLS_MEASURE_PROFILE_H

#include "runtime/include/nacre/runtime.h"
#include "tools/measure/Peak.h"
#include "tools/measure/Samples.h"
#include "tools/measure/Sink.h"

namespace nacre::measure {

/// Times of a launch over all runs.
struct LaunchProfile {
  nacre_launch_info info{};
  nacre_launch_time latest{};
  Samples samples{};   ///< Total time of each run.
  uint64_t median = 0; ///< Median of the samples. It is set after all runs.
};

/// Launches of an entry, in execution order.
struct Launches {
  LaunchProfile *rows;
  uint32_t count;
};

struct Profile {
  const nacre_model_info &model;
  const nacre_entry_info &entry;
  const char *buildId; ///< Build ID; empty if the library has none.
  const char *device;  ///< Name of the GPU; empty if only the CPU computed.
  uint32_t threads;
  Samples &runs;
  const MachinePeak &machine;
  Launches launches;
};

/// Writes the engine that computed a launch, and the GPU's share of the cut axis.
void putEngine(const Sink &sink, const nacre_launch_time &time);

/// Writes the table, with the slowest launches first. For a training step, also writes the times of its parts.
void putTable(const Sink &sink, Launches launches);

/// Writes a line about the work of the GPU and of the CPU in the latest run. Writes nothing if only the CPU computes.
void putEngines(const Sink &sink, const nacre_session_info &engines);

void putProfile(const Sink &sink, const Profile &profile);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_PROFILE_H
