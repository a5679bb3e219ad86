// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reads /sys/devices/system/cpu, and asks the core itself where that tells nothing.
// Why:   see big_cores.h.
// How:   a core counts if its figure is above a share of the largest: 1/3 of the capacity (one half would drop the
//        middle cores of a 124, 427, 1024 phone), 4/5 of the frequency (which understates how much slower little ones
//        are).

#include "runtime/src/big_cores.h"
#include "runtime/src/text.h"

#if defined(__aarch64__)
extern "C" unsigned long getauxval(unsigned long);
#endif

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

/// MIDR_EL1 of a core as the system tells it, "0x00000000410fd034"; 0 where it does not.
uint64_t read_midr(const char *root, unsigned cpu) {
  Text<256> path;
  path << root << "/sys/devices/system/cpu/cpu" << uint64_t(cpu) << "/regs/identification/midr_el1";
  char text[24] = {};
  read_file(path.c_str(), text, sizeof text - 1);
  uint64_t value = 0;
  for (const char *at = text[0] == '0' && text[1] == 'x' ? text + 2 : ""; *at; ++at)
    if (*at >= '0' && *at <= '9')
      value = value << 4 | uint64_t(*at - '0');
    else if (*at >= 'a' && *at <= 'f')
      value = value << 4 | uint64_t(*at - 'a' + 10);
    else
      break;
  return value;
}

/// Of the core that we are on, where programs may ask it; else 0.
uint64_t own_midr() {
#if defined(__aarch64__)
  constexpr unsigned kHwcap = 16, kCpuid = 11;
  uint64_t value = 0;
  if (getauxval(kHwcap) >> kCpuid & 1)
    __asm__("mrs %0, midr_el1" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

bool issues_in_order(uint64_t midr) {
  constexpr uint64_t kArm = 0x41;
  if (midr >> 24 != kArm)
    return false;
  switch (midr >> 4 & 0xfff) {
  case 0xd02: // Cortex-A34
  case 0xd03: // Cortex-A53
  case 0xd04: // Cortex-A35
  case 0xd05: // Cortex-A55
  case 0xd46: // Cortex-A510
  case 0xd80: // Cortex-A520
    return true;
  }
  return false;
}

uint32_t count(const CpuSet &cpus) {
  uint32_t count = 0;
  for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu)
    count += cpus.has(cpu);
  return count;
}

} // namespace

bool all_issue_in_order(const char *root, const CpuSet &allowed) {
  bool any = false;
  for (unsigned cpu = 0; cpu < CpuSet::kCount; ++cpu) {
    const uint64_t midr = allowed.has(cpu) ? read_midr(root, cpu) : 0;
    if (midr && !issues_in_order(midr))
      return false;
    any |= midr != 0;
  }
  if (any)
    return true;
  // This core may speak for all where they are alike.
  return issues_in_order(own_midr()) && count_big_cores(root, allowed) == count(allowed);
}

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
  const uint32_t all = count(allowed);
  return all ? all : 1;
}

} // namespace nacre::runtime
