// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  times whole runs, and prints one line of JSON.
// Why:   one way to measure, for people, test/bench and instruction counters.
// How:   tools/measure, as nacre-try has it.

#ifndef NACRE_TOOLS_RUN_BENCHMARK_H
#define NACRE_TOOLS_RUN_BENCHMARK_H

#include "tools/measure/Repeat.h"
#include "tools/run/session/ModelSession.h"

namespace nacre::run {

/// Returns how long the options want to measure.
measure::Effort effortOf(const Options &options);

Outcome benchmark(ModelSession &session, const Options &options, size_t codeBytes);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_BENCHMARK_H
