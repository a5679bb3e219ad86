// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/Benchmark.h"
#include "tools/measure/BenchmarkLine.h"
#include "tools/run/session/Text.h"

#include <algorithm>
#include <cstdio>

namespace nacre::run {

measure::Effort effortOf(const Options &options) { return {std::max<uint64_t>(options.runs, 1), options.minSeconds}; }

Outcome benchmark(ModelSession &session, const Options &options, size_t codeBytes) {
  const measure::Eviction evict(options.evictMebibytes);
  if (!evict.isReady())
    return Failure{ExitCode::OutOfMemory, "there is no memory for --evict"};
  measure::Samples samples;
  if (Outcome failure = sampleRuns([&session] { return session.run(); }, effortOf(options), evict, samples))
    return failure;
  nacre_session_info engines;
  if (Outcome failure = session.describe(engines))
    return failure;
  std::string line;
  putBenchmark(sinkOf(line), {session.info, session.memory, engines, codeBytes, samples});
  std::fputs(line.c_str(), stdout);
  return std::nullopt;
}

} // namespace nacre::run
