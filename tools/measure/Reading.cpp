// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures reading from memory and caches.

#include "tools/measure/Libc.h"
#include "tools/measure/Peak.h"
#include "tools/measure/Team.h"
#include "tools/measure/Vectors.h"

namespace nacre::measure {
namespace {

double most(double a, double b) { return a > b ? a : b; }
size_t most(size_t a, size_t b) { return a > b ? a : b; }

uint64_t readAll(const uint64_t *words, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += words[i];
  return sum;
}

struct Reading {
  const CpuList &cpus;
  size_t bytes;
  double seconds;
  int rounds;
  Source source;
  double *rates; // rate of each core in each round

  template <typename Team> void operator()(Team &team, unsigned index) const {
    const size_t count = bytes / sizeof(uint64_t);
    uint64_t (*const read)(const uint64_t *, size_t) = source == Source::Cache ? WidestVectors().read : readAll;
    auto *words = static_cast<uint64_t *>(malloc(bytes));
    for (size_t i = 0; words && i < count; ++i)
      words[i] = index; // accesses the pages first on this core, so that the system places them near it
    volatile uint64_t sink = words ? read(words, count) : 0;
    for (int round = 0; round < rounds; ++round) {
      team.meet(round + 1);
      double sum = 0, best = 0;
      const double begin = now();
      while (words && now() - begin < seconds) {
        const double before = now(), size = double(count * sizeof(uint64_t));
        sink = read(words, count);
        sum += size;
        best = most(best, size / (now() - before));
      }
      // Several cores share the memory, so the total rate is the sum of their average rates, not of their best ones.
      rates[index * rounds + round] =
          (cpus.count == 1 || source == Source::Cache ? best : sum / (now() - begin)) * 1e-9;
    }
    (void)sink;
    free(words);
  }
};

} // namespace

double measureReading(const CpuList &cpus, size_t bytes, double seconds, int rounds, Source source) {
  auto *rates = static_cast<double *>(malloc((cpus.count * rounds + 1) * sizeof(double)));
  if (!rates)
    return 0;
  memset(rates, 0, cpus.count * rounds * sizeof(double));
  onEach(cpus, Reading{cpus, bytes, seconds, rounds, source, rates});
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    double sum = 0;
    for (unsigned index = 0; index < cpus.count; ++index)
      sum += rates[index * rounds + round];
    best = most(best, sum);
  }
  free(rates);
  return best;
}

/// Reads the first line of a file. Returns false if the file has none.
static bool readLine(const char *path, char *line, int capacity) {
  FILE *file = fopen(path, "re");
  const bool isRead = file && fgets(line, capacity, file);
  if (file)
    fclose(file);
  return isRead;
}

size_t cacheBytesOfLevel(int level) {
  size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    char path[80], size[32], number[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
    if (!readLine(path, number, sizeof number) || int(strtoul(number, nullptr, 10)) != level)
      continue;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    if (!readLine(path, size, sizeof size))
      continue;
    char *unit;
    const size_t bytes = strtoul(size, &unit, 10);
    largest = most(largest, bytes << (*unit == 'M' ? 20 : *unit == 'K' ? 10 : 0));
  }
  return largest;
}

size_t lastCacheBytes() {
  size_t largest = 0;
  for (int level = 1; level <= 4; ++level)
    largest = most(largest, cacheBytesOfLevel(level));
  return largest;
}

} // namespace nacre::measure
