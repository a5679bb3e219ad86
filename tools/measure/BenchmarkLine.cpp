// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/measure/BenchmarkLine.h"
#include "tools/measure/Libc.h"

namespace nacre::measure {

/// Reads VmHWM, because getrusage would include the peak of the process that started this one.
static double peakMebibytes() {
  double peak = 0;
  FILE *file = fopen("/proc/self/status", "re");
  if (!file)
    return peak;
  for (char line[256]; fgets(line, sizeof line, file);)
    if (strncmp(line, "VmHWM:", 6) == 0)
      peak = strtod(line + 6, nullptr) / 1024;
  fclose(file);
  return peak;
}

void putBenchmark(const Sink &sink, const Benchmark &benchmark) {
  Samples &samples = benchmark.samples;
  putText(sink, "{\"model\": ");
  putJsonText(sink, benchmark.model.name);
  putFormat(sink, ", \"min_ms\": %.6f, \"median_ms\": %.6f, \"p90_ms\": %.6f", double(samples.smallest()) * 1e-6,
            double(samples.quantile(0.5)) * 1e-6, double(samples.quantile(0.9)) * 1e-6);
  putFormat(sink, ", \"runs\": %llu, \"threads\": %u, \"peak_rss_mb\": %.2f",
            static_cast<unsigned long long>(samples.count()), benchmark.memory.threads, peakMebibytes());
  putFormat(sink, ", \"arena_bytes\": %llu, \"code_bytes\": %llu, \"weight_bytes\": %llu, \"device\": ",
            static_cast<unsigned long long>(benchmark.memory.arena_bytes),
            static_cast<unsigned long long>(benchmark.codeBytes),
            static_cast<unsigned long long>(benchmark.model.weight_bytes));
  putJsonText(sink, benchmark.engines.device[0] ? benchmark.engines.device : "cpu");
  putFormat(sink, ", \"submissions\": %u, \"pipelines\": %u}\n", benchmark.engines.submissions,
            benchmark.engines.pipelines);
}

} // namespace nacre::measure
