// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/measure/Peak.h"
#include "tools/measure/ByteProducts.h"
#include "tools/measure/HalfProducts.h"
#include "tools/measure/Libc.h"
#include "tools/measure/Team.h"
#include "tools/measure/Vectors.h"

namespace nacre::measure {

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

CpuList allowedCores() {
  Mask mask;
  CpuList cores;
  if (sched_getaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t *>(&mask)) < 0)
    return cores;
  for (unsigned cpu = 0; cpu < CpuList::kMost; ++cpu)
    if (mask.words[cpu / Mask::kBits] >> cpu % Mask::kBits & 1)
      cores.add(cpu);
  return cores;
}

CoreSpeed measureCore(unsigned cpu) {
  CoreSpeed speed;
  speed.cpu = cpu;
  CpuList only;
  only.add(cpu);
  onEach(only, [&speed](auto &, unsigned) {
    measureGigahertz(); // raises the clock
    speed.gigahertz = measureGigahertz();
    speed.gigaflops = measureGigaflops();
    speed.halfGigaflops = measureHalfGigaflops(speed.gigaflops);
    speed.byteGigaops = measureByteGigaops();
  });
  return speed;
}

/// Returns the total rate of multiply-adds, in GFLOP/s, while all cores of `cpus` compute simultaneously. Cores may
/// share arithmetic units and power.
static double measureTogether(const CpuList &cpus, int tries) {
  auto *rates = static_cast<double *>(malloc((cpus.count + 1) * sizeof(double)));
  if (!rates)
    return 0;
  memset(rates, 0, cpus.count * sizeof(double));
  onEach(cpus, [&](auto &team, unsigned index) {
    team.meet(1);
    rates[index] = measureGigaflops(tries);
  });
  double sum = 0;
  for (unsigned index = 0; index < cpus.count; ++index)
    sum += rates[index];
  free(rates);
  return sum;
}

/// Writes the name of the CPU if the system provides it.
static void readCpuName(char *name, size_t capacity) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file)
    return;
  for (char line[512]; !*name && fgets(line, sizeof line, file);)
    if (strncmp(line, "model name", 10) == 0 || strncmp(line, "Hardware", 8) == 0)
      if (const char *colon = strstr(line, ": ")) {
        snprintf(name, capacity, "%s", colon + 2);
        for (char *end = name; *end; ++end)
          if (*end == '\n')
            *end = 0;
      }
  fclose(file);
}

/// Returns the `count` fastest cores, by their multiply-adds.
static CpuList fastestOf(const CpuList &cores, unsigned count, int tries) {
  CpuList fastest;
  double rates[CpuList::kMost];
  for (unsigned index = 0; index < cores.count; ++index) {
    CpuList only;
    only.add(cores.cpus[index]);
    const double rate = measureTogether(only, tries);
    unsigned at = index;
    fastest.count = index + 1;
    for (; at > 0 && rates[at - 1] < rate; --at) {
      rates[at] = rates[at - 1];
      fastest.cpus[at] = fastest.cpus[at - 1];
    }
    rates[at] = rate;
    fastest.cpus[at] = cores.cpus[index];
  }
  fastest.count = fastest.count < count ? fastest.count : count;
  return fastest;
}

static size_t clamp(size_t bytes, size_t least, size_t most) {
  return bytes < least ? least : bytes > most ? most : bytes;
}

MachinePeak measurePeak(unsigned threadCount) {
  constexpr int kFewTries = 8;      // each takes some tenths of a millisecond
  constexpr double kSeconds = 0.01; // short, so that some rounds are not interrupted
  constexpr int kRounds = 12;
  constexpr size_t kLeastMemory = size_t(128) << 20, kMostMemory = size_t(512) << 20, kUnknownCache = size_t(1) << 20,
                   kUnknownNear = size_t(128) << 10;
  const CpuList cores = allowedCores();
  const CpuList cpus = fastestOf(cores, threadCount ? threadCount : 1, kFewTries);
  MachinePeak peak;
  readCpuName(peak.cpu, sizeof peak.cpu);
  peak.cores = cores.count;
  peak.vectorBits = 32 * WidestVectors().lanes;
  peak.threads = cpus.count;
  if (cpus.count == 0)
    return peak;
  peak.flopsPerSecond = 1e9 * measureTogether(cpus, 2 * kFewTries);
  peak.cacheBytes = lastCacheBytes() ? lastCacheBytes() : kUnknownCache;
  const size_t memory = clamp(4 * peak.cacheBytes, kLeastMemory, kMostMemory);
  peak.bytesPerSecond = 1e9 * measureReading(cpus, memory / cpus.count, kSeconds, kRounds);
  // Threads together read a quarter of the shared cache, because other programs also use the cache.
  peak.cacheBytesPerSecond =
      1e9 * measureReading(cpus, peak.cacheBytes / 4 / cpus.count, kSeconds, kRounds, Source::Cache);
  const size_t nearBytes = cacheBytesOfLevel(2) ? cacheBytesOfLevel(2) : kUnknownNear;
  peak.nearCacheBytes = nearBytes * cpus.count;
  peak.nearCacheBytesPerSecond = 1e9 * measureReading(cpus, nearBytes / 4, kSeconds, kRounds, Source::Cache);
  return peak;
}

} // namespace nacre::measure
