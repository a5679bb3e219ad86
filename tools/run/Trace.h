// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a run as a Chrome trace, for chrome://tracing and ui.perfetto.dev.
// Why:   where a run waits and what follows what is seen at a glance, in viewers that everybody has.
// How:   the JSON array of the trace event format: a complete event for each launch, and the names of the process and
//        its thread, which are the model and the thread that called run.

#ifndef NACRE_TOOLS_RUN_TRACE_H
#define NACRE_TOOLS_RUN_TRACE_H

#include "runtime/include/nacre/runtime.h"
#include <string>
#include <string_view>
#include <vector>

namespace nacre::run {

/// A launch and what it took in the run that is shown. In a loop it is one event, as long as its executions together.
struct TracedLaunch {
  nacre_launch_info info{};
  nacre_launch_time time{};
};

/// The trace of one run of `model` on `threads` threads, which share every launch.
std::string traceJson(std::string_view model, uint32_t threads, const std::vector<TracedLaunch> &launches);

/// Who computed a launch, and how much of the cut axis was the GPU's.
std::string engineOf(const nacre_launch_time &time);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRACE_H
