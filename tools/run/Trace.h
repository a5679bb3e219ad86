// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a run as a Chrome trace for chrome://tracing and ui.perfetto.dev, which visualize the times of launches. The
// file is a JSON array in the trace event format: a complete event for each launch, and the names of a process and a
// thread. The process has the name of the model, and the thread is the one that called run.

#ifndef NACRE_TOOLS_RUN_TRACE_H
#define NACRE_TOOLS_RUN_TRACE_H

#include "runtime/include/nacre/runtime.h"
#include <string>
#include <string_view>
#include <vector>

namespace nacre::run {

/// A launch and its time in the shown run. A launch in a loop is one event, whose duration is the sum of all its
/// executions.
struct TracedLaunch {
  nacre_launch_info info{};
  nacre_launch_time time{};
};

/// Returns the trace of one run of `model` on `threads` threads, which share every launch.
std::string traceJson(std::string_view model, uint32_t threads, const std::vector<TracedLaunch> &launches);

/// Returns the engine that computed a launch, and the GPU's share of the cut axis.
std::string engineOf(const nacre_launch_time &time);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRACE_H
