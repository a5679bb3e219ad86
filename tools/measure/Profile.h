// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the time of a run goes, launch by launch, under the model's node names: a table, and JSON
//        (docs/profile.schema.json).
// Why:   the first question about a slow model.
// How:   the median time of each launch over all runs, as Python's profile has it: what a run usually takes. JSON has
//        whole nanoseconds, so that sums are the same wherever they are taken.

#ifndef NACRE_TOOLS_MEASURE_PROFILE_H
#define NACRE_TOOLS_MEASURE_PROFILE_H

#include "runtime/include/nacre/runtime.h"
#include "tools/measure/Peak.h"
#include "tools/measure/Samples.h"
#include "tools/measure/Sink.h"

namespace nacre::measure {

/// The times of a launch over all runs.
struct LaunchProfile {
  nacre_launch_info info{};
  nacre_launch_time latest{};
  Samples samples{};   ///< The total of each run.
  uint64_t median = 0; ///< Of the samples, once all runs are done.
};

/// The launches of an entry, in execution order.
struct Launches {
  LaunchProfile *rows;
  uint32_t count;
};

struct Profile {
  const nacre_model_info &model;
  const nacre_entry_info &entry;
  const char *buildId; ///< Empty if the library has none.
  const char *device;  ///< Empty if only the CPU computed.
  uint32_t threads;
  Samples &runs;
  const MachinePeak &machine;
  Launches launches;
};

/// Writes the engine that computed a launch, and the GPU's share of the cut axis.
void putEngine(const Sink &sink, const nacre_launch_time &time);

/// Writes the table, the slowest launches first, and for a step of training the times of its parts.
void putTable(const Sink &sink, Launches launches);

/// Writes what the GPU and the CPU beside it did in the latest run; nothing if only the CPU computes.
void putEngines(const Sink &sink, const nacre_session_info &engines);

void putProfile(const Sink &sink, const Profile &profile);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_PROFILE_H
