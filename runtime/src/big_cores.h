// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the big cores among the CPUs that this process may use, for the default number of threads. Also detects CPUs
// that have only small cores.
// Why: a small core takes several times as long for a unit of work, and all threads wait for the last unit. If there
//      are only small cores, code for in-order cores takes three quarters of the time.
// How: reads each core's cpu_capacity from sysfs, or its highest frequency if there is no capacity. If both are
//      missing, all cores count as big. The register MIDR_EL1 identifies the type of a core. Paths begin with `root`,
//      so that a test can use a folder of text files.

#ifndef NACRE_RUNTIME_SRC_BIG_CORES_H
#define NACRE_RUNTIME_SRC_BIG_CORES_H

#include "runtime/src/platform.h"

namespace nacre::runtime {

/// Returns the number of big cores among the CPUs in `allowed`, at least 1. `root` is "" on a device.
uint32_t count_big_cores(const char *root, const CpuSet &allowed);

/// True if all CPUs in `allowed` are in-order Arm cores, such as Cortex-A53 and A55. False if the type of one is
/// unknown.
bool all_issue_in_order(const char *root, const CpuSet &allowed);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_BIG_CORES_H
