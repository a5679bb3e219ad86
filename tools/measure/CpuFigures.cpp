// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures each core separately, and groups cores of similar speed into clusters. Then measures memory and cache.

#include "tools/measure/DeviceFigures.h"
#include "tools/measure/Libc.h"

namespace nacre::measure {
namespace {

/// Share of the first core's speed that the other cores of a cluster must reach.
constexpr double kAlike = 0.85;
/// Share of the fastest core's speed above which a core is big; the runtime uses the same share.
constexpr double kBig = 1.0 / 3;

struct Cores {
  unsigned count = 0;
  CoreSpeed speeds[CpuList::kMost]; // speeds of the cores, the fastest first; equal cores by index
};

void measureCores(Cores &cores, Progress progress) {
  const CpuList allowed = allowedCores();
  for (unsigned index = 0; index < allowed.count; ++index) {
    char part[64];
    snprintf(part, sizeof part, "core %u of %u", index + 1, allowed.count);
    if (progress)
      progress(part);
    const CoreSpeed speed = measureCore(allowed.cpus[index]);
    if (speed.gigahertz == 0) // The thread of this core did not start.
      continue;
    unsigned at = cores.count++;
    for (; at > 0 && cores.speeds[at - 1].gigaflops < speed.gigaflops; --at)
      cores.speeds[at] = cores.speeds[at - 1];
    cores.speeds[at] = speed;
  }
}

void groupCores(const Cores &cores, CpuFigures &figures) {
  figures.clusterCount = 0;
  for (unsigned index = 0; index < cores.count; ++index) {
    const CoreSpeed &speed = cores.speeds[index];
    Cluster *last = figures.clusterCount ? &figures.clusters[figures.clusterCount - 1] : nullptr;
    const bool isAlike = last && speed.gigaflops > kAlike * last->gigaflops;
    // Each cluster is slower by a sixth than the one before. So cores of further clusters would compute almost nothing.
    if (isAlike || figures.clusterCount == CpuFigures::kMostClusters)
      ++last->cores;
    else
      figures.clusters[figures.clusterCount++] = {
          speed.cpu, 1, speed.gigahertz, speed.gigaflops, speed.halfGigaflops, speed.byteGigaops};
  }
}

void measureMemory(const CpuList &big, CpuFigures &figures) {
  constexpr size_t kMemoryBytes = size_t(128) << 20, kUnknownCacheBytes = size_t(1) << 20;
  const size_t cache = lastCacheBytes() ? lastCacheBytes() : kUnknownCacheBytes;
  const size_t memory = 4 * cache > kMemoryBytes ? 4 * cache : kMemoryBytes;
  CpuList fastest;
  fastest.add(big.cpus[0]);
  figures.cacheBytes = cache;
  // One core reads a quarter of the shared cache, because other programs also use the cache.
  figures.cacheBytesOfCore = measureReading(fastest, cache / 4);
  figures.coreBytes = measureReading(fastest, memory);
  figures.bytes = measureReading(big, memory / big.count);
}

} // namespace

bool measureCpu(CpuFigures &figures, Progress progress) {
  static Cores cores;
  cores.count = 0;
  measureCores(cores, progress);
  if (cores.count == 0)
    return false;
  groupCores(cores, figures);
  CpuList big;
  for (unsigned index = 0; index < cores.count; ++index)
    if (cores.speeds[index].gigaflops > kBig * cores.speeds[0].gigaflops)
      big.add(cores.speeds[index].cpu);
  figures.threads = big.count;
  if (progress)
    progress("memory");
  measureMemory(big, figures);
  return figures.cacheBytesOfCore > 0 && figures.coreBytes > 0 && figures.bytes > 0;
}

} // namespace nacre::measure
