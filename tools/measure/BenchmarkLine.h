// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a benchmark as a line of JSON (docs/benchmark.schema.json).

#ifndef NACRE_TOOLS_MEASURE_BENCHMARKLINE_H
#define NACRE_TOOLS_MEASURE_BENCHMARKLINE_H

#include "runtime/include/nacre/runtime.h"
#include "tools/measure/Samples.h"
#include "tools/measure/Sink.h"

namespace nacre::measure {

struct Benchmark {
  const nacre_model_info &model;
  const nacre_memory_info &memory;
  const nacre_session_info &engines;
  uint64_t codeBytes;
  Samples &samples;
};

/// Writes the line. It contains the peak memory of this process, which the system counts.
void putBenchmark(const Sink &sink, const Benchmark &benchmark);

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_BENCHMARKLINE_H
