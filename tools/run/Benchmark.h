// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the time of whole runs, and prints one line of JSON, for people, test/bench and instruction counters. It
// uses tools/measure, like nacre-try.

#ifndef NACRE_TOOLS_RUN_BENCHMARK_H
#define NACRE_TOOLS_RUN_BENCHMARK_H

#include "tools/measure/Repeat.h"
#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Returns the length of the measurement that the options request.
measure::Effort effortOf(const Options &options);

Outcome benchmark(ModelSession &session, const Options &options, size_t codeBytes);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_BENCHMARK_H
