// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements big_cores.h with files of /sys/devices/system/cpu, or with the core's own register if a file is missing.
// Why: see big_cores.h.
// How: a core is big if its capacity is above 1/3 of the largest capacity, or its frequency above 79 % of the largest.
//      A limit of 1/2 would exclude the middle cores of phones with capacities 124, 427 and 1024. Frequencies differ
//      less than the speed of cores, so their limit is higher.

#include "runtime/src/big_cores.h"
#include "runtime/src/text.h"

#if defined(__aarch64__)
extern "C" unsigned long getauxval(unsigned long);
#endif

namespace nacre::runtime {
namespace {

struct Measure {
  const char *file;               // Path within the folder of a core; nullptr for a constant value.
  int32_t numerator, denominator; // A core is big if value * denominator > numerator * largest.
};

/// Sources of a core's speed, in order of preference. The last source is a constant, so that all cores are equal.
constexpr Measure kMeasures[] = {{"/cpu_capacity", 1, 3}, {"/cpufreq/cpuinfo_max_freq", 79, 100}, {nullptr, 0, 1}};

int64_t read_figure(const char *root, unsigned cpu, const char *file) {
  Text<256> path;
  path << root << "/sys/devices/system/cpu/cpu" << uint64_t(cpu) << file;
  return read_number(path.c_str());
}

/// Returns MIDR_EL1 of the current core, or -1 if programs cannot read it.
int64_t own_midr() {
  int64_t value = -1;
#if defined(__aarch64__)
  constexpr unsigned kHwcap = 16, kCpuid = 11;
  if (getauxval(kHwcap) >> kCpuid & 1)
    __asm__("mrs %0, midr_el1" : "=r"(value));
#endif
  return value;
}

/// True for Arm's parts 0xd02 to 0xd05 (Cortex-A34, A53, A35, A55), 0xd46 (A510) and 0xd80 (A520), in any revision.
bool issues_in_order(int64_t midr) {
  constexpr uint32_t kFirst = 0x4100d020;
  const uint32_t part = (uint32_t(midr) & 0xff00fff0) - kFirst;
  return part <= 0x30 || part == 0xd460 - 0xd020 || part == 0xd800 - 0xd020;
}

} // namespace

bool all_issue_in_order(const char *root, const CpuSet &allowed) {
  uint32_t count = 0;
  // MIDR of the current core, used for cores whose MIDR the system does not report. 0 if there are no such cores.
  int64_t own = 0;
  for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu)
    if (allowed.has(cpu)) {
      const int64_t told = read_figure(root, cpu, "/regs/identification/midr_el1");
      if (!issues_in_order(told < 0 ? own = own_midr() : told))
        return false;
      ++count;
    }
  // The current core's MIDR is valid for other cores only if all cores are equal.
  return count && (!own || count_big_cores(root, allowed) == count);
}

uint32_t count_big_cores(const char *root, const CpuSet &allowed) {
  for (const Measure &measure : kMeasures) {
    int64_t largest = 0;
    uint32_t count = 0;
    for (unsigned iteration = 0; iteration < 2; ++iteration) { // The first iteration finds the largest value.
      count = 0;
      for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu) {
        if (!allowed.has(cpu))
          continue;
        const int64_t figure = measure.file ? read_figure(root, cpu, measure.file) : 1;
        largest = figure > largest ? figure : largest;
        count += figure * measure.denominator > largest * measure.numerator;
      }
    }
    if (largest > 0)
      return count;
  }
  return 1;
}

} // namespace nacre::runtime
