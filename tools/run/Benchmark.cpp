// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Benchmark.h.
// Why:   see there.
// How:   warm up (clocks, caches, sleeping threads), then time run by run. Two no-op hints around each run let an
//        instruction counter under qemu find it. Memory is the kernel's own peak of this process.

#include "tools/run/Benchmark.h"
#include "tools/run/session/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace nacre::run {
namespace {

inline void markBegin() {
#if defined(__aarch64__)
  __asm__ volatile("hint #0x60" ::: "memory");
#endif
}

inline void markEnd() {
#if defined(__aarch64__)
  __asm__ volatile("hint #0x61" ::: "memory");
#endif
}

uint64_t readClock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// VmHWM; getrusage would count the peak of the process that started us.
double peakMebibytes() {
  double peak = 0;
  if (FILE *file = std::fopen("/proc/self/status", "re")) {
    for (char line[256]; std::fgets(line, sizeof line, file);)
      if (std::strncmp(line, "VmHWM:", 6) == 0)
        peak = std::strtod(line + 6, nullptr) / 1024;
    std::fclose(file);
  }
  return peak;
}

} // namespace

void Samples::add(uint64_t nanoseconds) {
  least = std::min(least, nanoseconds);
  if (seen++ % stride != 0)
    return;
  kept.push_back(nanoseconds);
  if (kept.size() < kCapacity)
    return;
  for (size_t i = 0; i < kCapacity / 2; ++i)
    kept[i] = kept[2 * i];
  kept.resize(kCapacity / 2);
  stride *= 2;
}

uint64_t Samples::quantile(double share) {
  std::sort(kept.begin(), kept.end());
  return kept[std::min(kept.size() - 1, static_cast<size_t>(share * kept.size()))];
}

void Eviction::operator()() {
  constexpr size_t line = 64;
  unsigned sum = 0;
  for (size_t i = 0; i < buffer.size(); i += line)
    sum += static_cast<unsigned char>(buffer[i]);
  const volatile unsigned read = sum; // so that it is
  (void)read;
}

Outcome repeatRuns(ModelSession &session, uint64_t runs, double minSeconds, Eviction &evict,
                   const std::function<Outcome(uint64_t nanoseconds)> &each) {
  const uint64_t begin = readClock();
  const uint64_t least = static_cast<uint64_t>(minSeconds * 1e9);
  for (uint64_t done = 0; done < runs || readClock() - begin < least; ++done) {
    evict();
    const uint64_t start = readClock();
    markBegin();
    Outcome failure = session.run();
    markEnd();
    const uint64_t end = readClock();
    if (!failure)
      failure = each(end - start);
    if (failure)
      return failure;
  }
  return std::nullopt;
}

Outcome benchmark(ModelSession &session, const Options &options, size_t codeBytes) {
  const double warmUpSeconds = std::min(0.2, options.minSeconds / 5);
  Eviction evict(options.evictMebibytes);
  if (Outcome failure = repeatRuns(session, 1, warmUpSeconds, evict, [](uint64_t) { return Outcome(); }))
    return failure;
  Samples samples;
  auto keep = [&samples](uint64_t nanoseconds) {
    samples.add(nanoseconds);
    return Outcome();
  };
  if (Outcome failure = repeatRuns(session, std::max<uint64_t>(options.runs, 1), options.minSeconds, evict, keep))
    return failure;
  nacre_session_info engines;
  if (Outcome failure = session.describe(engines))
    return failure;
  std::printf(
      "{\"model\": %s, \"min_ms\": %.6f, \"median_ms\": %.6f, \"p90_ms\": %.6f, \"runs\": %llu, \"threads\": %u, "
      "\"peak_rss_mb\": %.2f, \"arena_bytes\": %llu, \"code_bytes\": %zu, \"weight_bytes\": %llu, "
      "\"device\": %s, \"submissions\": %u, \"pipelines\": %u}\n",
      jsonText(session.info.name).c_str(), samples.smallest() * 1e-6, samples.quantile(0.5) * 1e-6,
      samples.quantile(0.9) * 1e-6, static_cast<unsigned long long>(samples.count()), session.memory.threads,
      peakMebibytes(), static_cast<unsigned long long>(session.memory.arena_bytes), codeBytes,
      static_cast<unsigned long long>(session.info.weight_bytes),
      jsonText(engines.device[0] ? engines.device : "cpu").c_str(), engines.submissions, engines.pipelines);
  return std::nullopt;
}

} // namespace nacre::run
