// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the big cores among the CPUs that this process may use, for the default number of threads. Also tells whether
// all of them are small.
// Why: a small core takes several times as long for a unit of work, and all threads wait for the last unit. If there
//      are only small cores, code for in-order cores takes three quarters of the time.
// How: reads the kernel's cpu_capacity, or else the highest frequency; without either, all cores count as equal.
//      MIDR_EL1 names the core. Paths begin with `root`, so that a test can use a folder of text files.

#ifndef NACRE_RUNTIME_SRC_BIG_CORES_H
#define NACRE_RUNTIME_SRC_BIG_CORES_H

#include "runtime/src/platform.h"

namespace nacre::runtime {

/// Returns the number of big cores, at least 1. `root` is "" on a device.
uint32_t count_big_cores(const char *root, const CpuSet &allowed);

/// True if all are in-order cores of Arm's, such as Cortex-A53 and A55; false if their type is unknown.
bool all_issue_in_order(const char *root, const CpuSet &allowed);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_BIG_CORES_H
