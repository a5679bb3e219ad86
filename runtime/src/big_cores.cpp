// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reads /sys/devices/system/cpu.
// Why:   see big_cores.h.
// How:   a core counts if its figure is above a share of the largest: 1/3 of the capacity (one half would drop the
//        middle cores of a 124, 427, 1024 phone), 4/5 of the frequency (which understates how much slower little ones
//        are).

#include "runtime/src/big_cores.h"
#include "runtime/src/text.h"

namespace nacre::runtime {
namespace {

struct Measure {
  const char *file;
  int64_t numerator, denominator; // big: figure * denominator > numerator * largest
};

constexpr Measure kMeasures[] = {{"cpu_capacity", 1, 3}, {"cpufreq/cpuinfo_max_freq", 79, 100}};

int64_t read_figure(const char *root, unsigned cpu, const char *file) {
  Text<256> path;
  path << root << "/sys/devices/system/cpu/cpu" << uint64_t(cpu) << "/" << file;
  return read_number(path.c_str());
}

} // namespace

uint32_t count_big_cores(const char *root, const CpuSet &allowed) {
  for (const Measure &measure : kMeasures) {
    int64_t largest = 0;
    for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu) {
      int64_t figure = allowed.has(cpu) ? read_figure(root, cpu, measure.file) : 0;
      largest = figure > largest ? figure : largest;
    }
    if (largest == 0)
      continue;
    uint32_t count = 0;
    for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu)
      if (allowed.has(cpu))
        count += read_figure(root, cpu, measure.file) * measure.denominator > largest * measure.numerator;
    return count;
  }
  uint32_t count = 0;
  for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu)
    count += allowed.has(cpu);
  return count ? count : 1;
}

} // namespace nacre::runtime
